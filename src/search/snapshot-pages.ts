/** Pages of snapshots for `scroll` and `searchAfter`: opens cursors of the engine and reads their pages. */

import { hash } from 'node:crypto'
import { z } from 'zod'
import { Failure, invalidParameter } from '../errors.ts'
import { includeText } from '../search-index/include.ts'
import type { Answer, Page, SearchIndex, SearchRequest } from '../search-index/search-index.ts'
import type { PageStart } from './request/search-request.ts'
import { type EnvelopeForm, formSchema } from './search-envelope.ts'

/** Page, and the members for requesting the next one. */
export type SnapshotPage = {
  readonly form: EnvelopeForm
  readonly answer: Answer
  readonly extra?: Readonly<Record<string, unknown>>
}

type FirstPage = {
  readonly request: SearchRequest
  readonly form: EnvelopeForm
  readonly kind: 'scroll' | 'search-after'
  /** Client whose limit of cursors applies. */
  readonly client: string
}

/** Takes a snapshot and returns its first page. Throws `too-many-cursors`. */
export async function firstPage(
  index: SearchIndex,
  { request, form, kind, client }: FirstPage,
  signal: AbortSignal,
): Promise<SnapshotPage> {
  const { offset: _, include, ...search } = request
  const note = JSON.stringify({ kind, print: searchHash(request), form })
  if (kind === 'scroll') {
    const page = await index.openCursor(
      { ...search, ...(include && { include }), client, note },
      signal,
    )
    return { form, answer: page, extra: { scrollId: page.cursor } }
  }
  // Later pages may show more of a hit than this one, so the cursor gets the whole records.
  const page = await index.openCursor({ ...search, client, note }, signal)
  const hits = page.hits.map((hit) => ({ ...hit, record: includeText(hit.record, include) }))
  // Without hits there are no further ones either, from any position.
  const extra = { sort: page.last ?? [0, 0], pitId: page.cursor }
  return { form, answer: { ...page, hits }, extra }
}

/** Returns the page after a position. Throws `unknown-cursor`, and `invalid-parameter` when the cursor belongs to another search. */
export async function afterPage(
  index: SearchIndex,
  { request, form, from }: Omit<FirstPage, 'kind' | 'client'> & { readonly from: PageStart },
  signal: AbortSignal,
): Promise<SnapshotPage> {
  const { limit, include } = request
  const [, after] = from.sort
  const page = await index.readPage(from.pitId, { after, limit, include }, signal)
  const { kind, print } = noteOf(page)
  if (kind !== 'search-after') throw unknownCursor('pitId')
  if (print !== searchHash(request))
    throw invalidParameter('pitId', 'pitId belongs to a search with other parameters')
  return { form, answer: page, extra: { sort: page.last ?? from.sort, pitId: page.cursor } }
}

/** Returns the next page; facets are in the first one. Throws `unknown-cursor`. */
export async function scrolledPage(
  index: SearchIndex,
  scrollId: string,
  signal: AbortSignal,
): Promise<SnapshotPage> {
  const page = await index.readPage(scrollId, {}, signal)
  const { kind, form } = noteOf(page)
  if (kind !== 'scroll') throw unknownCursor('scrollId')
  return { form, answer: page, extra: { scrollId: page.cursor } }
}

/** Hash of the parameters that must be equal for all pages of a snapshot: all but page size and returned fields. */
function searchHash({
  indices,
  tree,
  words,
  fields,
  filter,
  order,
  boosts,
  score,
}: SearchRequest): string {
  const fixed = [indices, tree, words, fields, filter, order, boosts, score]
  return hash('sha256', JSON.stringify(fixed), 'hex')
}

const noteSchema = z.object({
  kind: z.enum(['scroll', 'search-after']),
  print: z.string(),
  form: formSchema,
})

const noteOf = ({ note }: Page) => noteSchema.parse(JSON.parse(note))

function unknownCursor(parameter: string): Failure {
  const detail = `there is no such ${parameter}`
  return new Failure('unknown-cursor', detail, { errors: [{ parameter, detail }] })
}
