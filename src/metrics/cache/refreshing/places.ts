/** The country that a place lies in, as ISO 3166-1 alpha-3, read off its IRI. */

const authority =
  /^https?:\/\/publications\.europa\.eu\/resource\/authority\/(?:country|place|atu)\/([A-Z0-9]{3})(?:_[A-Z0-9_]+)?\/?$/
const nuts = /^https?:\/\/data\.europa\.eu\/nuts\/code\/([A-Z]{2})[A-Z0-9]{0,3}\/?$/i

/** Codes of the table that are no codes of ISO 3166-1. */
const special: Readonly<Record<string, string>> = { '1A0': 'XKX' }

/** The countries that have NUTS or statistical regions, by the letters of their regions. */
const regions: ReadonlyMap<string, string> = new Map(
  (
    'AL:ALB AT:AUT BA:BIH BE:BEL BG:BGR CH:CHE CY:CYP CZ:CZE DE:DEU DK:DNK EE:EST EL:GRC ES:ESP FI:FIN FR:FRA GR:GRC HR:HRV ' +
    'HU:HUN IE:IRL IS:ISL IT:ITA LI:LIE LT:LTU LU:LUX LV:LVA MD:MDA ME:MNE MK:MKD MT:MLT NL:NLD NO:NOR PL:POL PT:PRT RO:ROU ' +
    'RS:SRB SE:SWE SI:SVN SK:SVK TR:TUR UA:UKR UK:GBR XK:XKX'
  )
    .split(' ')
    .map((pair): [string, string] => [pair.slice(0, 2), pair.slice(3)]),
)

/** `null` where no place tells a country: a union of countries is none. */
export function countryOf(places: Iterable<string>): string | null {
  for (const iri of places) {
    const region = nuts.exec(iri)?.[1]
    if (region !== undefined) {
      const country = regions.get(region.toUpperCase())
      if (country !== undefined) return country
    }
    const code = authority.exec(iri)?.[1]
    if (code === undefined || code === 'EUR') continue
    const country = special[code] ?? code
    if (/^[A-Z]{3}$/.test(country)) return country
  }
  return null
}
