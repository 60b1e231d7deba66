/** The vocabulary commands inside of a running platform: the client's own, without a socket. */

import { Failure } from '../../errors.ts'
import { isId } from '../../rdf/ids.ts'
import { channel } from '../execution/channel.ts'
import type { RepositoryPart } from '../parts.ts'
import { obey } from './commands.ts'
import { conceptCount, Refused, storedIds, type Addresses } from './repository.ts'

export type Inside = Addresses & {
  readonly fetch: NonNullable<Addresses['fetch']>
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
  const lines = channel()
  const work = obey(
    { command: { name: 'install', ids, from: 'bundled' }, ...addresses },
    {
      bundled,
      key: async () => key,
      say: (line) => void lines.push(line),
      limit: () => signal,
    },
  ).finally(() => lines.end())
  // Whoever leaves before the end does not hear of it.
  work.catch(() => undefined)
  yield* lines.pieces()
  if (!(await told(work)))
    throw new Failure('conflict', 'not all of them could be installed; the lines above say why')
}

/** What the platform itself refuses may be told. */
const told = <T>(work: Promise<T>): Promise<T> =>
  work.catch((error: unknown) => {
    throw error instanceof Refused
      ? new Failure('conflict', error.message, { cause: error })
      : error
  })
