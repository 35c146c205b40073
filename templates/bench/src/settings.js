/** What the environment sets. */
export const settings = {
  port: Number(process.env.PARCEL_PORT ?? 8042),
  host: process.env.PARCEL_HOST ?? "127.0.0.1",
  token: process.env.PARCEL_TOKEN
}
