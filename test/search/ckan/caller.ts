/** A client of the CKAN calls, and the datasets that it finds. */

import { feedsFixture, type FeedsFixture } from '../feeds/feeds-fixture.ts'
import { datasetOf } from '../feeds/feed-documents.ts'

export const held = [
  datasetOf({
    id: 'a-rivers~~1',
    title: { en: 'Rivers' },
    keywords: ['water', 'open-data'],
    format: 'CSV',
    license: 'CC_BY_4_0',
    modified: '2024-03-01T00:00:00Z',
  }),
  datasetOf({
    id: 'b-lakes',
    title: { en: 'Lakes' },
    keywords: ['water'],
    format: 'JSON',
    catalogue: 'c2',
    modified: '2023-05-01T00:00:00Z',
  }),
  datasetOf({
    id: 'c-forests',
    title: { en: 'Forests', de: 'Wälder' },
    keywords: ['wood'],
    format: 'CSV',
    catalogue: 'c2',
    modified: '2022-01-01T00:00:00Z',
  }),
  ...Array.from({ length: 12 }, (_, n) =>
    datasetOf({ id: `z${String(n).padStart(2, '0')}`, keywords: ['many'], catalogue: 'c3' }),
  ),
]

type Result = {
  readonly count: number
  readonly sort: string
  readonly results: readonly { readonly id: string }[]
  readonly facets: unknown
  readonly search_facets: unknown
}

type Body = {
  readonly help: string
  readonly success: boolean
  readonly result: Result
  readonly error: { readonly type: string; readonly message: string }
}

export type Reply = { readonly status: number; readonly headers: Headers; readonly body: Body }

export type Caller = FeedsFixture & {
  readonly get: (action: string, parameters?: Readonly<Record<string, string>>) => Promise<Reply>
  readonly post: (path: string, body: string, type?: string) => Promise<Reply>
}

/** `error.__type` is called `type` here. */
export async function replyOf(answer: Response): Promise<Reply> {
  const text = await answer.text()
  const body = JSON.parse(text.replace('"__type":', '"type":')) as Body
  return { status: answer.status, headers: answer.headers, body }
}

export async function caller(documents = held): Promise<Caller> {
  const opened = await feedsFixture(documents)
  return {
    ...opened,
    get: async (action, parameters = {}) =>
      replyOf(
        await opened.request(`/ckan/${action}?${new URLSearchParams(parameters).toString()}`),
      ),
    post: async (path, body, type = 'application/json') => {
      const headers = { 'Content-Type': type }
      return replyOf(await opened.request(path, { method: 'POST', headers, body }))
    },
  }
}
