/** Commands about profiles: checks one, and shows the documents of records and the reports about their values. */

import { readFile } from 'node:fs/promises'
import { extname, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { ScriptFailure } from '../config/script.ts'
import { Failure, WrongUsage } from '../errors.ts'
import { loadProfile } from '../profile/load-profile.ts'
import type { Field, Profile, Shape } from '../profile/profile.ts'
import { isIri } from '../rdf/iri.ts'
import { formatOfSuffix } from '../rdf/media-types.ts'
import { decode, parse, type Repair } from '../rdf/parse.ts'
import { unservedFacets } from './building/facets.ts'
import { documentsJson, previewDocuments, documentsText } from './preview-documents.ts'

const vocabularies = fileURLToPath(new URL('../../shapes/vocabularies', import.meta.url))

/** Sums up a valid profile for its author. Rejects with `ScriptFailure`: every problem with file and line. */
export const checkedProfile = async (directory: string): Promise<string> =>
  summaryOf(await profileIn(directory))

/** Parameters of a preview: the RDF file, the directory of the profile, the base of IRIs. */
type Preview = { readonly file: string; readonly profile?: string; readonly base?: string }

/**
 * Makes the documents that the records of a file become, and reports what is left out of them; `isJson` makes one JSON array.
 * Rejects with `ScriptFailure` or `WrongUsage`.
 */
export async function recordPreview(
  { file, profile: directory, base = 'http://localhost:8080/' }: Preview,
  isJson: boolean,
): Promise<string> {
  if (!isIri(base)) throw new WrongUsage(`--base ${base}: no absolute IRI`)
  const profile = await profileIn(directory)
  const { quads, repairs } = await quadsIn(file)
  const documents = await previewDocuments(quads, { profile, base, vocabularies })
  return isJson ? documentsJson(documents) : repairs.join('') + documentsText(documents)
}

const profileIn = (directory: string | undefined) =>
  // All faults of a profile are one Error with a line per problem.
  loadProfile(directory).catch((cause: unknown) => {
    throw new ScriptFailure(cause instanceof Error ? cause.message : String(cause), { cause })
  })

/** Reads the quads of a file. Invalid IRIs and language tags are repaired, as by an import; `repairs` are lines of output. */
async function quadsIn(file: string) {
  const format = formatOfSuffix(extname(file).slice(1))
  if (!format) throw new ScriptFailure(`${file}: the suffix names no RDF format`)
  const repairs: string[] = []
  const repair = ({ from, to = 'nothing', line }: Repair) => {
    const where = line === undefined ? '' : ` in line ${line}`
    repairs.push(`# repaired${where}: ${from} → ${to}\n`)
  }
  try {
    const text = decode(await readFile(file))
    const baseIri = pathToFileURL(resolve(file)).href
    return { quads: await parse(text, format, { baseIri, repair }), repairs }
  } catch (cause) {
    throw new ScriptFailure(withPosition(cause, file), { cause })
  }
}

/** Returns `file:line:column: message`, the format that editors parse. */
function withPosition(cause: unknown, file: string): string {
  if (!(cause instanceof Failure))
    return `${file}: ${cause instanceof Error ? cause.message : String(cause)}`
  const [{ line, column, detail } = { detail: cause.detail }] = cause.errors
  const place = [file, line, column].filter((part) => part !== undefined).join(':')
  return `${place}: ${line === undefined ? cause.detail : detail}`
}

const flattenFields = (fields: readonly Field[]): readonly Field[] =>
  fields.flatMap((field) => [field, ...flattenFields(field.children)])

function shapeLine(name: string, { iri, fields }: Shape): string {
  const mandatory = fields.filter(({ required }) => required).map((field) => field.name)
  const mandatoryText = mandatory.length > 0 ? `, mandatory: ${mandatory.join(' ')}` : ''
  return `  ${name}: ${flattenFields(fields).length} fields from <${iri}>${mandatoryText}`
}

/** Summarises a valid profile with its warnings, for its author. */
function summaryOf(profile: Profile): string {
  const { dataset, catalogue, concept, resources, warnings } = profile
  const shapes = [dataset, catalogue, concept, ...resources.map(({ shape }) => shape)]
  const classes = new Set(
    shapes.flatMap(({ fields }) => flattenFields(fields).map((field) => field.mapping)),
  )
  const remarks = [
    ...warnings,
    ...unservedFacets(profile).map(
      ({ id, index, path }) => `the facet ${id} of ${index} is left out: there is no field ${path}`,
    ),
  ]
  const version = profile.versionInfo === '' ? '' : ` ${profile.versionInfo}`
  return [
    `The profile ${profile.id}${version} can be used.`,
    shapeLine('dataset', dataset),
    shapeLine('catalogue', catalogue),
    shapeLine('concept', concept),
    ...resources.map(({ id, shape, inCatalogue }) =>
      shapeLine(`resource ${id}${inCatalogue ? ' (in a catalogue)' : ''}`, shape),
    ),
    `  ${classes.size} mapping classes: ${[...classes].sort().join(' ')}`,
    `  hash ${profile.hash}`,
    ...(remarks.length > 0 ? ['Worth a look:', ...remarks.map((remark) => `  ${remark}`)] : []),
    '',
  ].join('\n')
}
