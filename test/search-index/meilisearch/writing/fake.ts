/** Enough of Meilisearch for a writer: documents by key, tasks that are done at once, and a list of what was asked. */

import type { Uids } from '../../../../src/search-index/meilisearch/attributes.ts'
import { uidsOf } from '../../../../src/search-index/meilisearch/attributes.ts'
import type { EngineClient } from '../../../../src/search-index/meilisearch/engine-client.ts'

type Stored = { readonly id: string; readonly [name: string]: unknown }

export type Fake = {
  readonly client: EngineClient
  readonly uids: Uids
  readonly asked: string[]
  documents(uid: string): ReadonlyMap<string, Stored>
  /** Called before every write, with its path. */
  onWrite: (path: string) => void
}

type Fetch = { ids?: string[]; fields: string[]; sort?: string[] }

export function fake(): Fake {
  const held = new Map<string, Map<string, Stored>>()
  const of = (uid: string) => {
    const own = held.get(uid) ?? new Map<string, Stored>()
    held.set(uid, own)
    return own
  }
  const uidOf = (path: string) => /^\/indexes\/([^/]+)/.exec(path)![1]!
  const write = (path: string, work: (own: Map<string, Stored>) => void) => {
    made.onWrite(path)
    made.asked.push(path)
    work(of(uidOf(path)))
    return Promise.resolve({ taskUid: made.asked.length })
  }
  const fetch = (path: string, { ids, fields, sort }: Fetch) => {
    const own = of(uidOf(path))
    const found = ids ? ids.flatMap((id) => own.get(id) ?? []) : [...own.values()]
    const [name] = sort?.[0]?.split(':') ?? []
    if (name) found.sort((a, b) => Number(b[name]) - Number(a[name]))
    const reduced = found.map((one) =>
      Object.fromEntries(
        fields.filter((field) => field in one).map((field) => [field, one[field]]),
      ),
    )
    return Promise.resolve({ results: sort ? reduced.slice(0, 1) : reduced })
  }
  const none = () => Promise.reject(new Error('not asked for'))
  const made: Fake = {
    uids: uidsOf(''),
    asked: [],
    documents: (uid) => of(uid),
    onWrite: () => undefined,
    client: {
      get: none,
      patch: none,
      remove: none,
      task: none,
      close: () => undefined,
      post: (path, body) => {
        if (path.endsWith('/fetch')) return fetch(path, body as Fetch)
        return write(path, (own) => {
          for (const id of body as string[]) own.delete(id)
        })
      },
      postLines: (path, lines) =>
        write(path, (own) => {
          for (const line of lines) {
            const one = JSON.parse(line) as Stored
            own.set(one.id, one)
          }
        }),
    },
  }
  return made
}
