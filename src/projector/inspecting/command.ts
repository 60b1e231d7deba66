/** What the profile command answers: a check, the documents of records, example queries. */

import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { extname, join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { Failure, WrongUsage } from '../../errors.ts'
import type { Field, Profile, Shape } from '../../profile/profile.ts'
import { loadProfile } from '../../profile/load-profile.ts'
import { isIri } from '../../rdf/iri.ts'
import { formatOfSuffix } from '../../rdf/media-types.ts'
import { decode, parse, type Repair } from '../../rdf/parse.ts'
import { unservedFacets } from '../building/facets.ts'
import { exampleQueries } from './examples.ts'
import { documentsJson, documentsOf, documentsText, NoRecord } from './showing.ts'

const vocabularies = fileURLToPath(new URL('../../../shapes/vocabularies', import.meta.url))

/** A message for the person at the command line, and nothing else. */
class NotUsable extends Error {}

type Answer = {
  /** 0 when all is well, 1 when the profile or the file is not, 2 when the question was wrong. */
  readonly code: 0 | 1 | 2
  readonly out: string
  readonly complaint: string
}

/** Does what the command line asks for. */
export async function runProfileCommand(argumentList: readonly string[]): Promise<Answer> {
  try {
    return { code: 0, out: await answer(profileArguments(argumentList)), complaint: '' }
  } catch (error) {
    if (error instanceof WrongUsage)
      return { code: 2, out: '', complaint: `${error.message}\n\n${usage}` }
    if (!(error instanceof NotUsable) && !(error instanceof NoRecord)) throw error
    return { code: 1, out: '', complaint: `${error.message}\n` }
  }
}

async function answer({ command, path, profile: directory, base, json }: Arguments) {
  if (command === 'check') return summaryOf(await profileIn(path))
  const profile = await profileIn(directory)
  if (command === 'queries') {
    await mkdir(path, { recursive: true })
    const queries = exampleQueries(profile).map(({ name, text }) => ({
      file: `${join(path, name)}.rq`,
      text,
    }))
    for (const { file, text } of queries) await writeFile(file, text)
    return queries.map(({ file }) => `${file}\n`).join('')
  }
  const { quads, repairs } = await quadsIn(path)
  const all = await documentsOf(quads, { profile, base, vocabularies })
  return json ? documentsJson(all) : repairs.join('') + documentsText(all)
}

/** Whatever is wrong with a profile is one Error with a line per problem. */
async function profileIn(directory: string | undefined) {
  try {
    return await loadProfile(directory)
  } catch (cause) {
    throw new NotUsable(cause instanceof Error ? cause.message : String(cause), { cause })
  }
}

/** Broken IRIs and language tags are put right, as by an import. */
async function quadsIn(file: string) {
  const format = formatOfSuffix(extname(file).slice(1))
  if (!format) throw new NotUsable(`${file}: the suffix names no RDF format`)
  const repairs: string[] = []
  const repair = ({ from, to = 'nothing', line }: Repair) =>
    void repairs.push(
      `# repaired${line === undefined ? '' : ` in line ${line}`}: ${from} → ${to}\n`,
    )
  try {
    const text = decode(await readFile(file))
    const baseIri = pathToFileURL(resolve(file)).href
    return { quads: await parse(text, format, { baseIri, repair }), repairs }
  } catch (cause) {
    throw new NotUsable(located(cause, file), { cause })
  }
}

/** `file:line:column: what is wrong`, as editors understand it. */
function located(cause: unknown, file: string): string {
  if (!(cause instanceof Failure))
    return `${file}: ${cause instanceof Error ? cause.message : String(cause)}`
  const [{ line, column, detail } = { detail: cause.detail }] = cause.errors
  const place = [file, line, column].filter((part) => part !== undefined).join(':')
  return `${place}: ${line === undefined ? cause.detail : detail}`
}

// The command line of the profile command.

const usage = `npm run profile -- check <directory>
npm run profile -- show <record file> [--profile directory] [--base IRI] [--json]
npm run profile -- queries <directory> [--profile directory]

  check     whether the platform takes a profile: every problem with file and line, or a summary of its fields
  show      the documents that the records of a file become, and what is left out of them
            (Turtle or any other RDF format, by its suffix; a catalogue in the same file is that of the datasets)
  queries   writes example CONSTRUCT queries of a profile, one file per index

  --profile directory   default: the profile that ships with the platform
  --base IRI            default: http://localhost:8080/
  --json                one JSON array instead of text
`

const options = {
  profile: { type: 'string' },
  base: { type: 'string' },
  json: { type: 'boolean' },
} as const

/** `path` is the directory or file that the command is about. */
type Arguments = ReturnType<typeof profileArguments>

/** Reads arguments as they follow the script's name. Throws `WrongUsage`. */
export function profileArguments(argumentList: readonly string[]) {
  const { values, positionals } = parsed(argumentList)
  const [command, path, ...others] = positionals
  if (command !== 'check' && command !== 'show' && command !== 'queries')
    throw new WrongUsage(`check, show or queries? got ${command ?? 'nothing'}`)
  if (path === undefined) throw new WrongUsage(`${command} what? Give a file or directory`)
  if (others.length > 0) throw new WrongUsage(`one at a time, got also ${others.join(' ')}`)
  const { profile, base = 'http://localhost:8080/', json = false } = values
  if (!isIri(base)) throw new WrongUsage(`--base ${base}: no absolute IRI`)
  return { command, path, profile, base, json } as const
}

function parsed(argumentList: readonly string[]) {
  try {
    return parseArgs({ args: [...argumentList], options, allowPositionals: true })
  } catch (cause) {
    throw new WrongUsage(cause instanceof Error ? cause.message : 'unknown option', { cause })
  }
}

// What a profile declares, in words for the person who wrote it.

const count = (fields: readonly Field[]): number =>
  fields.reduce((sum, { children }) => sum + 1 + count(children), 0)

const classesIn = (fields: readonly Field[]): readonly string[] =>
  fields.flatMap(({ mapping, children }) => [mapping, ...classesIn(children)])

function shapeLine(name: string, { iri, fields }: Shape): string {
  const mandatory = fields.filter(({ required }) => required).map((field) => field.name)
  const must = mandatory.length > 0 ? `, mandatory: ${mandatory.join(' ')}` : ''
  return `  ${name}: ${count(fields)} fields from <${iri}>${must}`
}

/** A summary of a profile that the platform takes, with everything that is odd about it. */
function summaryOf(profile: Profile): string {
  const { dataset, catalogue, concept, resources, warnings } = profile
  const shapes = [dataset, catalogue, concept, ...resources.map(({ shape }) => shape)]
  const classes = new Set(shapes.flatMap(({ fields }) => classesIn(fields)))
  const facets = unservedFacets(profile).map(
    ({ id, index, path }) => `  the facet ${id} of ${index} is left out: there is no field ${path}`,
  )
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
    ...(warnings.length + facets.length > 0 ? ['Worth a look:'] : []),
    ...warnings.map((warning) => `  ${warning}`),
    ...facets,
    '',
  ].join('\n')
}
