/** Commands that install, list and check vocabularies, for the program `cartulary` and the console. */

import { ScriptFailure } from '../config/script.ts'
import { Failure, WrongUsage } from '../errors.ts'
import { isId } from '../rdf/ids.ts'
import { openDocument } from '../rdf/open-document.ts'
import { conditions } from '../vocabularies/skos-integrity.ts'
import type { RepositoryPart } from './console-parts.ts'
import {
  bundledIds,
  bundledPath,
  officialIds,
  officialAddress,
  type ServiceAddresses,
  VocabularyClient,
} from './vocabulary-client.ts'

type InstallCommand = {
  readonly name: 'install'
  /** Ids; none means all of the source. */
  readonly ids: readonly string[]
  readonly from: 'bundled' | 'official' | { readonly place: string }
}

/** Command about vocabularies. */
export type VocabularyCommand =
  | { readonly name: 'list' }
  | { readonly name: 'check'; readonly ids: readonly string[] }
  | InstallCommand

type CommandContext = {
  readonly client: VocabularyClient
  /** Folder of the vocabularies that come with the platform. */
  readonly bundled: string
  /** Returns the API key; called only by commands that write. */
  readonly key: () => Promise<string>
  readonly signal: AbortSignal
}

/**
 * Runs a command: yields lines, returns whether all succeeded and no vocabulary breaks a condition. Throws `ScriptFailure` when the
 * platform does not answer.
 */
export async function* runVocabularyCommand(
  command: VocabularyCommand,
  context: CommandContext,
): AsyncGenerator<string, boolean> {
  if (command.name === 'install') return yield* install(command, context)
  const { client } = context
  if (command.name === 'list') {
    const ids = await client.storedIds()
    if (ids.length === 0) yield 'no vocabulary is stored; the bundled tables are used for mapping'
    for (const id of ids) {
      const count = await client.conceptCount(id)
      yield count === undefined ? id : `${id}  ${count} concepts`
    }
    return true
  }
  const ids = command.ids.length > 0 ? command.ids : await client.storedIds()
  let isSound = true
  const isComplete = yield* linePerId(ids, async (id) => {
    const findings = await client.findings(id)
    if (findings.length === 0) return 'nothing found'
    isSound = false
    const lines = findings.flatMap(({ condition, count, examples }) => [
      `  ${condition}  ${count}  ${conditions[condition]}`,
      ...examples.map(({ resource, detail }) => `    <${resource}> ${detail}`),
    ])
    return ['', ...lines].join('\n')
  })
  return isComplete && isSound
}

async function* install(
  { ids, from }: InstallCommand,
  { client, bundled, key: requestKey, signal }: CommandContext,
): AsyncGenerator<string, boolean> {
  const knownIds = from === 'official' ? officialIds : await bundledIds(bundled)
  const key = await requestKey()
  const locationOf = (id: string): string => {
    if (typeof from === 'object') return from.place
    const location = from === 'official' ? officialAddress(id) : bundledPath(bundled, id)
    if (location !== undefined && knownIds.includes(id)) return location
    const why = from === 'official' ? 'no address of this table is known' : 'not bundled'
    throw new ScriptFailure(`${why}; known are ${knownIds.join(', ')}; or give --from`)
  }
  return yield* linePerId(ids.length > 0 ? ids : knownIds, async (id) =>
    client.put(id, await openDocument({ location: locationOf(id) }, signal), key),
  )
}

/** Yields a line for each id; a failure does not stop the others. */
async function* linePerId(
  ids: readonly string[],
  work: (id: string) => Promise<string>,
): AsyncGenerator<string, boolean> {
  let failed = 0
  for (const id of ids) {
    const line = await work(id).catch((error: unknown) => {
      if (!(error instanceof ScriptFailure || error instanceof WrongUsage)) throw error
      failed += 1
      return `failed: ${error.message}`
    })
    yield `${id}  ${line}`
  }
  return failed === 0
}

type PlatformAccess = ServiceAddresses & { readonly bundled: string; readonly key: () => string }

/** Functions of the commands of the console, which call the platform without a socket. They throw `Failure` for its refusals. */
export const vocabularyPart = ({
  bundled,
  key,
  ...platform
}: PlatformAccess): Pick<RepositoryPart, 'installVocabularies' | 'vocabularies'> => ({
  async *installVocabularies(ids, signal) {
    const invalidId = ids.find((id) => !isId(id))
    if (invalidId !== undefined)
      throw new Failure('invalid-parameter', `${invalidId.slice(0, 100)} is no id of a vocabulary`)
    const client = new VocabularyClient(platform, signal)
    const context = { client, bundled, key: async () => key(), signal }
    if (!(yield* install({ name: 'install', ids, from: 'bundled' }, context)))
      throw new Failure('conflict', 'not all of them could be installed; the lines above say why')
  },
  async *vocabularies(signal) {
    const client = new VocabularyClient(platform, signal)
    try {
      for (const id of await client.storedIds()) {
        const concepts = await client.conceptCount(id)
        yield { id, concepts }
      }
    } catch (cause) {
      throw cause instanceof ScriptFailure
        ? new Failure('conflict', cause.message, { cause })
        : cause
    }
  },
})
