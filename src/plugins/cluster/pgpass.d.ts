/** The types of those parts of `pgpass` that are used here. The package itself has no types. */
declare module "pgpass/lib/helper.js" {
  export interface PasswordPlace {
    readonly host: string
    readonly port: number | string
    readonly database: string
    readonly user: string
  }
  export interface PasswordLine extends PasswordPlace {
    readonly password: string
  }
  export function parseLine(line: string): PasswordLine | null
  export function match(place: PasswordPlace, line: PasswordLine): boolean
}
