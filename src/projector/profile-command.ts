/** Command `npm run profile`: checks a profile, and shows the documents of records and the reports about their values. */

import { readFile } from 'node:fs/promises'
import { extname, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { runScript, ScriptFailure, scriptArguments } from '../config/script.ts'
import { Failure, WrongUsage } from '../errors.ts'
import { loadProfile } from '../profile/load-profile.ts'
import type { Field, Profile, Shape } from '../profile/profile.ts'
import { isIri } from '../rdf/iri.ts'
import { formatOfSuffix } from '../rdf/media-types.ts'
import { decode, parse, type Repair } from '../rdf/parse.ts'
import { unservedFacets } from './building/facets.ts'
import { documentsJson, previewDocuments, documentsText } from './preview-documents.ts'

const vocabularies = fileURLToPath(new URL('../../shapes/vocabularies', import.meta.url))

const usage = `npm run profile -- check <directory>
npm run profile -- show <record file> [--profile directory] [--base IRI] [--json]

  check     whether the platform takes a profile: every problem with file and line, or a summary of its fields
  show      the documents that the records of a file become, and what is left out of them
            (Turtle or any other RDF format, by its suffix; a catalogue in the same file is that of the datasets)

  --profile directory   default: the profile that ships with the platform
  --base IRI            default: http://localhost:8080/
  --json                one JSON array instead of text
`

/** Exit code and texts: 0 for success, 1 for a faulty profile or file, 2 for wrong usage. */
type Answer = { readonly code: 0 | 1 | 2; readonly out: string; readonly errorText: string }

/** Runs the command. */
export async function runProfileCommand(argumentList: readonly string[]): Promise<Answer> {
  try {
    return { code: 0, out: await answer(profileArguments(argumentList)), errorText: '' }
  } catch (error) {
    if (error instanceof WrongUsage)
      return { code: 2, out: '', errorText: `${error.message}\n\n${usage}` }
    if (error instanceof ScriptFailure) return { code: 1, out: '', errorText: `${error.message}\n` }
    throw error
  }
}

/** Parses the arguments after the script's name; `path` is the directory or file. Throws `WrongUsage`. */
export function profileArguments(argumentList: readonly string[]) {
  const { values, positionals } = scriptArguments(argumentList, {
    profile: { type: 'string' },
    base: { type: 'string' },
    json: { type: 'boolean' },
  })
  const [command, path, ...others] = positionals
  if (command !== 'check' && command !== 'show')
    throw new WrongUsage(`check or show? got ${command ?? 'nothing'}`)
  if (path === undefined) throw new WrongUsage(`${command} what? Give a file or directory`)
  if (others.length > 0) throw new WrongUsage(`one at a time, got also ${others.join(' ')}`)
  const { profile, base = 'http://localhost:8080/', json = false } = values
  if (!isIri(base)) throw new WrongUsage(`--base ${base}: no absolute IRI`)
  return { command, path, profile, base, json } as const
}

async function answer({
  command,
  path,
  profile: directory,
  base,
  json,
}: ReturnType<typeof profileArguments>): Promise<string> {
  // All faults of a profile are one Error with a line per problem.
  const profile = await loadProfile(command === 'check' ? path : directory).catch(
    (cause: unknown) => {
      throw new ScriptFailure(cause instanceof Error ? cause.message : String(cause), { cause })
    },
  )
  if (command === 'check') return summaryOf(profile)
  const { quads, repairs } = await quadsIn(path)
  const documents = await previewDocuments(quads, { profile, base, vocabularies })
  return json ? documentsJson(documents) : repairs.join('') + documentsText(documents)
}

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

if (import.meta.main)
  await runScript(usage, async (argumentList) => {
    const { code, out, errorText } = await runProfileCommand(argumentList)
    process.stdout.write(out)
    process.stderr.write(errorText)
    return code
  })
