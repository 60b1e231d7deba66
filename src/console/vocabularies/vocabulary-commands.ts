/** What the commands do; every line that they say goes through `say`. */

import { Failure } from '../../errors.ts'
import { isId } from '../../rdf/ids.ts'
import { conditions } from '../../vocabularies/skos-integrity.ts'
import { Channel } from '../../workers/channel.ts'
import type { RepositoryPart } from '../console-parts.ts'
import type { VocabularyCommand, VocabularyArguments } from './vocabulary-arguments.ts'
import {
  bundledIds,
  bundledPlace,
  NoDocument,
  officialIds,
  officialPlace,
  openDocument,
} from './vocabulary-documents.ts'
import {
  type ServiceAddresses,
  conceptCount,
  findingsOf,
  putVocabulary,
  RequestRefused,
  storedIds,
} from './vocabulary-client.ts'

type CommandDeps = {
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
export function runVocabularyCommand(
  wish: VocabularyArguments,
  deps: CommandDeps,
): Promise<boolean> {
  const { command } = wish
  if (command.name === 'list') return list(wish, deps)
  if (command.name === 'check') return check(wish, command.ids, deps)
  return install(wish, command, deps)
}

async function list(wish: VocabularyArguments, { say, limit }: CommandDeps): Promise<boolean> {
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
  wish: VocabularyArguments,
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
  wish: VocabularyArguments,
  command: Extract<VocabularyCommand, { readonly name: 'install' }>,
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
  readonly from: Extract<VocabularyCommand, { readonly name: 'install' }>['from']
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
        if (!(error instanceof RequestRefused || error instanceof NoDocument)) throw error
        failed += 1
        return `failed: ${error.message}`
      })
      say(`${id}  ${words}`)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, next))
  return failed === 0
}

// The vocabulary commands inside of a running platform: the client's own, without a socket.

type Inside = ServiceAddresses & {
  readonly fetch: NonNullable<ServiceAddresses['fetch']>
  /** Folder of the vocabularies that come with the platform. */
  readonly bundled: string
  readonly key: string
}

type VocabularyPart = Required<Pick<RepositoryPart, 'installVocabularies' | 'vocabularies'>>

export const vocabularyPart = (inside: Inside): VocabularyPart => ({
  installVocabularies: (ids, signal) => installed(inside, ids, signal),
  vocabularies: async function* vocabularies(signal) {
    for (const id of await told(storedIds(inside, signal))) {
      const concepts = await told(conceptCount(inside, id, signal))
      yield { id, ...(concepts !== undefined && { concepts }) }
    }
  },
})

/** A line for each as soon as it is there. */
async function* installed(
  { bundled, key, ...addresses }: Inside,
  ids: readonly string[],
  signal: AbortSignal,
): AsyncGenerator<string> {
  const strange = ids.find((id) => !isId(id))
  if (strange !== undefined)
    throw new Failure('invalid-parameter', `${strange.slice(0, 100)} is no id of a vocabulary`)
  const lines = new Channel<string>({ items: 32 })
  const work = runVocabularyCommand(
    { command: { name: 'install', ids, from: 'bundled' }, ...addresses },
    {
      bundled,
      key: async () => key,
      say: (line) => lines.put(line),
      limit: () => signal,
    },
  ).finally(() => lines.close())
  // Whoever leaves before the end does not hear of it.
  work.catch(() => undefined)
  yield* lines
  if (!(await told(work)))
    throw new Failure('conflict', 'not all of them could be installed; the lines above say why')
}

/** What the platform itself refuses may be told. */
const told = <T>(work: Promise<T>): Promise<T> =>
  work.catch((error: unknown) => {
    throw error instanceof RequestRefused
      ? new Failure('conflict', error.message, { cause: error })
      : error
  })
