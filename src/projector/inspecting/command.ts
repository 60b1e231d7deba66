/** What the profile command answers: a check, the documents of records, example queries. */

import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { extname, join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { Failure, WrongUsage } from '../../errors.ts'
import { loadProfile } from '../../profile/load.ts'
import { formatOfSuffix } from '../../rdf/media-types.ts'
import { decode, parse, type Repair } from '../../rdf/parse.ts'
import { usage, wishOf, type Wish } from './arguments.ts'
import { summaryOf } from './checking.ts'
import { exampleQueries } from './examples.ts'
import { documentsJson, documentsOf, documentsText, NoRecord } from './showing.ts'

const vocabularies = fileURLToPath(new URL('../../../shapes/vocabularies', import.meta.url))

/** A message for the person at the command line, and nothing else. */
class NotUsable extends Error {}

export type Answer = {
  /** 0 when all is well, 1 when the profile or the file is not, 2 when the question was wrong. */
  readonly code: 0 | 1 | 2
  readonly out: string
  readonly complaint: string
}

/** Does what the command line asks for. */
export async function run(argumentList: readonly string[]): Promise<Answer> {
  try {
    return { code: 0, out: await answer(wishOf(argumentList)), complaint: '' }
  } catch (error) {
    if (error instanceof WrongUsage)
      return { code: 2, out: '', complaint: `${error.message}\n\n${usage}` }
    if (!(error instanceof NotUsable) && !(error instanceof NoRecord)) throw error
    return { code: 1, out: '', complaint: `${error.message}\n` }
  }
}

async function answer(wish: Wish): Promise<string> {
  if (wish.command === 'check') return summaryOf(await profileIn(wish.directory))
  const profile = await profileIn(wish.profile)
  if (wish.command === 'queries') {
    await mkdir(wish.directory, { recursive: true })
    const queries = exampleQueries(profile)
    for (const { name, text } of queries) await writeFile(join(wish.directory, `${name}.rq`), text)
    return `${queries.map(({ name }) => `${join(wish.directory, name)}.rq`).join('\n')}\n`
  }
  const { quads, repairs } = await quadsIn(wish.file)
  const all = await documentsOf(quads, { profile, base: wish.base, vocabularies })
  return wish.json ? documentsJson(all) : repairs.join('') + documentsText(all)
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
