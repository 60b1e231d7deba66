/** The command line of `npm run vocabularies`. */

import { parseArgs } from 'node:util'
import { WrongUsage } from '../../errors.ts'
import { isId } from '../../rdf/ids.ts'

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

export type VocabularyCommand =
  | { readonly name: 'list' }
  | { readonly name: 'check'; readonly ids: readonly string[] }
  | {
      readonly name: 'install'
      /** None = all bundled ones. */
      readonly ids: readonly string[]
      /** `bundled`, `official`, or a file or an address. */
      readonly from: 'bundled' | 'official' | { readonly place: string }
    }

export type VocabularyArguments = {
  readonly command: VocabularyCommand
  /** Address of the repository service, and of the search service beside it. */
  readonly repository: string
  readonly search?: string
  readonly key?: string
}

const options = {
  official: { type: 'boolean' },
  from: { type: 'string' },
  to: { type: 'string' },
  key: { type: 'string' },
} as const

/** Reads arguments as they follow the script's name. Throws `WrongUsage`. */
export function parseVocabularyArguments(argumentList: readonly string[]): VocabularyArguments {
  const { values, positionals } = parsed(argumentList)
  const [name, ...ids] = positionals
  const strange = ids.find((id) => !isId(id))
  if (strange !== undefined)
    throw new WrongUsage(`${strange} is no id: letters, digits, _ ~ - only, at most 255`)
  return {
    command: commandOf(name, ids, values),
    ...servicesAt(values.to ?? 'http://localhost:8080'),
    ...(values.key !== undefined && { key: values.key }),
  }
}

type Values = { readonly official?: boolean; readonly from?: string }

function commandOf(
  name: string | undefined,
  ids: readonly string[],
  values: Values,
): VocabularyCommand {
  const { official = false, from } = values
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

function parsed(argumentList: readonly string[]) {
  try {
    return parseArgs({ args: joined(argumentList), options, allowPositionals: true })
  } catch (error) {
    const words = error instanceof Error ? error.message : 'unknown option'
    throw new WrongUsage(words, { cause: error })
  }
}

/** A generated key may begin with a hyphen, which would be taken for the next option. */
const joined = (list: readonly string[]): string[] =>
  list.flatMap((word, at) => {
    if (list[at - 1] === '--key') return []
    const value = list[at + 1]
    return word === '--key' && value !== undefined ? [`--key=${value}`] : [word]
  })

/** A path of its own is the repository service itself: where services have ports, they have no common prefix. */
function servicesAt(server: string): Pick<VocabularyArguments, 'repository' | 'search'> {
  const url = URL.parse(server)
  if (!url || !/^https?:$/.test(url.protocol))
    throw new WrongUsage(`--to ${server}: no http or https address`)
  const place = url.href.replace(/\/+$/, '')
  const repository = url.pathname === '/' ? `${url.origin}/api/hub/repo` : place
  if (!repository.endsWith('/repo')) return { repository }
  return { repository, search: `${repository.slice(0, -'repo'.length)}search` }
}
