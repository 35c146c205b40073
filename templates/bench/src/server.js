import { createServer } from "node:http"

createServer((request, response) => {
  const parcel = find(request.url.slice(1))
  response.writeHead(parcel === undefined ? 404 : 200)
  response.end(JSON.stringify(parcel ?? {}))
}).listen(settings.port, settings.host)
