/** What the commands do; every line that they say goes through `say`. */

import { conditions } from '../../skos/integrity.ts'
import type { Command, Wish } from './arguments.ts'
import {
  bundledIds,
  bundledPlace,
  NoDocument,
  officialIds,
  officialPlace,
  openDocument,
} from './documents.ts'
import { conceptCount, findingsOf, putVocabulary, Refused, storedIds } from './repository.ts'

export type CommandDeps = {
  /** Folder of the vocabularies that come with the platform. */
  readonly bundled: string
  /** Asked only by commands that write. */
  readonly key: () => Promise<string>
  readonly say: (line: string) => void
  /** A signal for one request. */
  readonly limit: () => AbortSignal
}

/** Tables at a time: one is parsed while the next one is on its way. */
const atOnce = 2

/** Whether everything went well. Throws `Refused` when the platform cannot be asked at all. */
export function obey(wish: Wish, deps: CommandDeps): Promise<boolean> {
  const { command } = wish
  if (command.name === 'list') return list(wish, deps)
  if (command.name === 'check') return check(wish, command.ids, deps)
  return install(wish, command, deps)
}

async function list(wish: Wish, { say, limit }: CommandDeps): Promise<boolean> {
  const ids = await storedIds(wish, limit())
  if (ids.length === 0) say('no vocabulary is stored; the bundled tables are used for mapping')
  for (const id of ids) {
    const count = await conceptCount(wish, id, limit())
    say(count === undefined ? id : `${id}  ${count} concepts`)
  }
  return true
}

/** Findings refuse nothing, so that they are no failure of the command either. */
async function check(
  wish: Wish,
  wanted: readonly string[],
  { say, limit }: CommandDeps,
): Promise<boolean> {
  const ids = wanted.length > 0 ? wanted : await storedIds(wish, limit())
  return each(ids, say, async (id) => {
    const findings = await findingsOf(wish, id, limit())
    if (findings.length === 0) return 'nothing found'
    const lines = findings.flatMap(({ condition, count, examples }) => [
      `  ${condition}  ${count}  ${conditions[condition]}`,
      ...examples.map(({ resource, detail }) => `    <${resource}> ${detail}`),
    ])
    return ['', ...lines].join('\n')
  })
}

async function install(
  wish: Wish,
  command: Extract<Command, { readonly name: 'install' }>,
  deps: CommandDeps,
): Promise<boolean> {
  const { from } = command
  const known = from === 'official' ? officialIds : await bundledIds(deps.bundled)
  const ids = command.ids.length > 0 ? command.ids : known
  const key = await deps.key()
  return each(ids, deps.say, async (id) => {
    const place = placeOf(id, { from, known, folder: deps.bundled })
    const signal = deps.limit()
    const document = await openDocument(place, signal)
    const { outcome, pending } = await putVocabulary(wish, { id, key, document }, signal)
    return pending ? `${outcome}, searchable soon` : outcome
  })
}

type Sources = {
  readonly from: Extract<Command, { readonly name: 'install' }>['from']
  readonly known: readonly string[]
  readonly folder: string
}

function placeOf(id: string, { from, known, folder }: Sources): string {
  if (typeof from === 'object') return from.place
  const place = from === 'official' ? officialPlace(id) : bundledPlace(folder, id)
  if (place !== undefined && known.includes(id)) return place
  const whose = from === 'official' ? 'no address of this table is known' : 'not bundled'
  throw new NoDocument(`${whose}; known are ${known.join(', ')}; or give --from`)
}

/** A line for each id, some at a time; one that fails does not keep the others. */
async function each(
  ids: readonly string[],
  say: (line: string) => void,
  work: (id: string) => Promise<string>,
): Promise<boolean> {
  const waiting = [...ids]
  let failed = 0
  const next = async () => {
    for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
      const words = await work(id).catch((error: unknown) => {
        if (!(error instanceof Refused || error instanceof NoDocument)) throw error
        failed += 1
        return `failed: ${error.message}`
      })
      say(`${id}  ${words}`)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, next))
  return failed === 0
}
