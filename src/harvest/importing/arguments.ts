/** The command line of an import. */
import { parseArgs } from 'node:util'
import { WrongUsage } from '../../errors.ts'
import { isId } from '../../rdf/ids.ts'
import { isIri } from '../../rdf/iri.ts'

export const usage = `npm run import -- <file|url|-> [options]

Brings a DCAT document in any RDF format into a catalogue of a running platform.

  --catalogue id       everything goes into this catalogue (default: the catalogues of the document)
  --update-catalogue   replace the description of a catalogue that exists
  --format name        turtle, trig, ntriples, nquads, rdfxml, jsonld, n3, or a suffix (default: suffix or content type)
  --base IRI           what relative references are resolved against
  --server url         default http://localhost:8080
  --key key            API key (default: PLATFORM_API_KEY, else the file api-key in PLATFORM_DATA_DIR)
`

export type ImportArguments = {
  readonly place: string
  readonly catalogue?: string
  readonly updateCatalogue: boolean
  readonly format?: string
  readonly baseIri?: string
  /** Address of the repository service. */
  readonly service: string
  readonly key?: string
}

const options = {
  catalogue: { type: 'string' },
  'update-catalogue': { type: 'boolean' },
  format: { type: 'string' },
  base: { type: 'string' },
  server: { type: 'string' },
  key: { type: 'string' },
} as const

/** Reads arguments as they follow the script's name. Throws `WrongUsage`. */
export function parseImportArguments(argumentList: readonly string[]): ImportArguments {
  const { values, positionals } = parsed(argumentList)
  const [place, ...others] = positionals
  if (place === undefined) throw new WrongUsage('which document? Give a file, an address, or -')
  if (others.length > 0)
    throw new WrongUsage(`one document at a time, got also ${others.join(' ')}`)
  const { catalogue, format, base, key } = values
  if (catalogue !== undefined && !isId(catalogue))
    throw new WrongUsage(`--catalogue ${catalogue}: letters, digits, _ ~ - only, at most 255`)
  if (base !== undefined && !isIri(base)) throw new WrongUsage(`--base ${base}: no absolute IRI`)
  return {
    place,
    service: serviceAt(values.server ?? 'http://localhost:8080'),
    updateCatalogue: values['update-catalogue'] ?? false,
    ...(catalogue === undefined ? {} : { catalogue }),
    ...(format === undefined ? {} : { format }),
    ...(base === undefined ? {} : { baseIri: base }),
    ...(key === undefined ? {} : { key }),
  }
}

function parsed(argumentList: readonly string[]) {
  try {
    return parseArgs({ args: joined(argumentList), options, allowPositionals: true })
  } catch (error) {
    throw new WrongUsage(error instanceof Error ? error.message : 'unknown option', {
      cause: error,
    })
  }
}

/** A generated key may begin with a hyphen, which would be taken for the next option. */
const joined = (list: readonly string[]): string[] =>
  list.flatMap((word, at) => {
    if (list[at - 1] === '--key') return []
    const value = list[at + 1]
    return word === '--key' && value !== undefined ? [`--key=${value}`] : [word]
  })

/** A server with a path of its own is the service itself: where services have ports, they have no common prefix. */
function serviceAt(server: string): string {
  const url = URL.parse(server)
  if (!url || !/^https?:$/.test(url.protocol))
    throw new WrongUsage(`--server ${server}: no http or https address`)
  return url.pathname === '/' ? `${url.origin}/api/hub/repo` : url.href.replace(/\/+$/, '')
}
