/** Installs, lists and checks vocabularies: the commands of `npm run vocabularies`, and the same within a running platform. */

import { repositoryAddress, ScriptFailure, scriptArguments } from '../config/script.ts'
import { Failure, WrongUsage } from '../errors.ts'
import { isId } from '../rdf/ids.ts'
import { conditions } from '../vocabularies/skos-integrity.ts'
import { openDocument } from '../rdf/open-document.ts'
import type { RepositoryPart } from './console-parts.ts'
import {
  bundledIds,
  bundledPlace,
  conceptCount,
  findingsOf,
  officialIds,
  officialPlace,
  putVocabulary,
  type ServiceAddresses,
  storedIds,
} from './vocabulary-client.ts'

export const vocabulariesUsage = `npm run vocabularies -- <command> [options]

  list                 the vocabularies of a running platform, with the number of their concepts
  install [id…]        put vocabularies into it: those that come with the platform, all of them when none is named
  check [id…]          what of SKOS's integrity conditions the stored ones break

Options of install:
  --official           take the full tables from the Publications Office of the EU
  --from file|url      take this document; needs exactly one id

Options of all:
  --to url             the platform or its repository service (default http://localhost:8080)
  --key key            API key (default: PLATFORM_API_KEY, else the file api-key in PLATFORM_DATA_DIR)
`

type InstallCommand = {
  readonly name: 'install'
  /** None = all bundled ones. */
  readonly ids: readonly string[]
  readonly from: 'bundled' | 'official' | { readonly place: string }
}

type VocabularyCommand =
  | { readonly name: 'list' }
  | { readonly name: 'check'; readonly ids: readonly string[] }
  | InstallCommand

type VocabularyArguments = ServiceAddresses & {
  readonly command: VocabularyCommand
  readonly key?: string
}

const options = {
  official: { type: 'boolean', default: false },
  from: { type: 'string' },
  to: { type: 'string' },
  key: { type: 'string' },
} as const

/** Reads arguments as they follow the script's name. Throws `WrongUsage`. */
export function parseVocabularyArguments(argumentList: readonly string[]): VocabularyArguments {
  const { values, positionals } = scriptArguments(argumentList, options)
  const [name, ...ids] = positionals
  const strange = ids.find((id) => !isId(id))
  if (strange !== undefined)
    throw new WrongUsage(`${strange} is no id: letters, digits, _ ~ - only, at most 255`)
  const command = commandOf(name, ids, values)
  const repository = repositoryAddress('to', values.to)
  const isOurs = repository.endsWith('/repo')
  return {
    command,
    repository,
    ...(isOurs && { search: repository.replace(/repo$/, 'search') }),
    ...(values.key !== undefined && { key: values.key }),
  }
}

function commandOf(
  name: string | undefined,
  ids: readonly string[],
  { official, from }: { readonly official: boolean; readonly from?: string | undefined },
): VocabularyCommand {
  if (name !== 'install' && (official || from !== undefined))
    throw new WrongUsage('--official and --from belong to install')
  if (name === 'list' && ids.length > 0) throw new WrongUsage('list takes no ids')
  if (name === 'list') return { name }
  if (name === 'check') return { name, ids }
  if (name !== 'install')
    throw new WrongUsage(`${name ?? 'no command'}: the commands are list, install, check`)
  if (official && from !== undefined)
    throw new WrongUsage('--official and --from name two sources: give one')
  if (from === undefined) return { name, ids, from: official ? 'official' : 'bundled' }
  if (ids.length !== 1)
    throw new WrongUsage('--from needs the id of the one vocabulary that the document holds')
  return { name, ids, from: { place: from } }
}

type CommandContext = {
  /** Folder of the vocabularies that come with the platform. */
  readonly bundled: string
  /** Asked only by commands that write. */
  readonly key: () => Promise<string>
  /** A signal for one request. */
  readonly limit: () => AbortSignal
}

/** Lines of text; in the end whether everything went well. Throws `ScriptFailure` when the platform cannot be asked at all. */
export function runVocabularyCommand(
  { command, ...platform }: VocabularyArguments,
  context: CommandContext,
): AsyncGenerator<string, boolean> {
  if (command.name === 'list') return list(platform, context)
  if (command.name === 'check') return check(platform, command.ids, context)
  return install(platform, command, context)
}

async function* list(
  platform: ServiceAddresses,
  { limit }: CommandContext,
): AsyncGenerator<string, boolean> {
  const ids = await storedIds(platform, limit())
  if (ids.length === 0) yield 'no vocabulary is stored; the bundled tables are used for mapping'
  for (const id of ids) {
    const count = await conceptCount(platform, id, limit())
    yield count === undefined ? id : `${id}  ${count} concepts`
  }
  return true
}

/** Findings refuse nothing, so that they are no failure of the command either. */
async function* check(
  platform: ServiceAddresses,
  wanted: readonly string[],
  { limit }: CommandContext,
): AsyncGenerator<string, boolean> {
  const ids = wanted.length > 0 ? wanted : await storedIds(platform, limit())
  return yield* eachOf(ids, async (id) => {
    const findings = await findingsOf(platform, id, limit())
    if (findings.length === 0) return 'nothing found'
    const lines = findings.flatMap(({ condition, count, examples }) => [
      `  ${condition}  ${count}  ${conditions[condition]}`,
      ...examples.map(({ resource, detail }) => `    <${resource}> ${detail}`),
    ])
    return ['', ...lines].join('\n')
  })
}

async function* install(
  platform: ServiceAddresses,
  { ids, from }: InstallCommand,
  { bundled, key: ask, limit }: CommandContext,
): AsyncGenerator<string, boolean> {
  const known = from === 'official' ? officialIds : await bundledIds(bundled)
  const key = await ask()
  const placeOf = (id: string): string => {
    if (typeof from === 'object') return from.place
    const place = from === 'official' ? officialPlace(id) : bundledPlace(bundled, id)
    if (place !== undefined && known.includes(id)) return place
    const why = from === 'official' ? 'no address of this table is known' : 'not bundled'
    throw new ScriptFailure(`${why}; known are ${known.join(', ')}; or give --from`)
  }
  return yield* eachOf(ids.length > 0 ? ids : known, async (id) => {
    const signal = limit()
    const document = await openDocument({ location: placeOf(id) }, signal)
    const { outcome, pending } = await putVocabulary(platform, { id, key, document }, signal)
    return pending ? `${outcome}, searchable soon` : outcome
  })
}

/** A line for each id; one that fails does not keep the others. */
async function* eachOf(
  ids: readonly string[],
  work: (id: string) => Promise<string>,
): AsyncGenerator<string, boolean> {
  let failed = 0
  for (const id of ids) {
    const words = await work(id).catch((error: unknown) => {
      if (!(error instanceof ScriptFailure || error instanceof WrongUsage)) throw error
      failed += 1
      return `failed: ${error.message}`
    })
    yield `${id}  ${words}`
  }
  return failed === 0
}

type Inside = ServiceAddresses & Pick<CommandContext, 'bundled'> & { readonly key: string }

/** The commands inside of a running platform: the client's own, without a socket. They throw `Failure`. */
export const vocabularyPart = ({
  bundled,
  key,
  ...platform
}: Inside): Pick<RepositoryPart, 'installVocabularies' | 'vocabularies'> => ({
  async *installVocabularies(ids, signal) {
    const strange = ids.find((id) => !isId(id))
    if (strange !== undefined)
      throw new Failure('invalid-parameter', `${strange.slice(0, 100)} is no id of a vocabulary`)
    const context = { bundled, key: async () => key, limit: () => signal }
    if (!(yield* install(platform, { name: 'install', ids, from: 'bundled' }, context)))
      throw new Failure('conflict', 'not all of them could be installed; the lines above say why')
  },
  async *vocabularies(signal) {
    try {
      for (const id of await storedIds(platform, signal)) {
        const concepts = await conceptCount(platform, id, signal)
        yield { id, ...(concepts !== undefined && { concepts }) }
      }
    } catch (cause) {
      throw cause instanceof ScriptFailure
        ? new Failure('conflict', cause.message, { cause })
        : cause
    }
  },
})
