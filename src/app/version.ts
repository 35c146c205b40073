/** The version of this package. Made by `npm run generate` from package.json; do not edit. */
export const version = "0.1.0"
