/** Pages of snapshots: how a cursor of the engine is opened, used and told to the client. */

import { hash } from 'node:crypto'
import { z } from 'zod'
import { Failure, invalidParameter } from '../errors.ts'
import { includeFields } from '../search-index/include.ts'
import type { Answer, Hit, Page, SearchIndex, SearchRequest } from '../search-index/search-index.ts'
import type { EnvelopeForm } from './search-envelope.ts'
import type { PageStart, PageRun } from './request/page-run.ts'

/** One page and the members by which the next one is asked for. */
export type Turned = {
  readonly form: EnvelopeForm
  readonly answer: Answer
  readonly more?: Readonly<Record<string, unknown>>
}

type Wanted = {
  readonly request: SearchRequest
  readonly form: EnvelopeForm
  readonly kind: PageRun['kind']
}

export async function firstPage(
  index: SearchIndex,
  { request, form, kind, client }: Wanted & { readonly client: string },
  signal: AbortSignal,
): Promise<Turned> {
  const { offset: _, include, ...wanted } = request
  const note = JSON.stringify({ kind, print: printOf(request), form })
  if (kind === 'scroll') {
    const page = await index.open({ ...wanted, ...(include && { include }), client, note }, signal)
    return { form, answer: page, more: { scrollId: page.cursor } }
  }
  // Later pages may show more of a hit than this one: the cursor knows the whole records.
  const page = await index.open({ ...wanted, client, note }, signal)
  const hits = include ? page.hits.map((hit) => reduced(hit, include)) : page.hits
  // Nothing was found: the place in front of everything has nothing behind it either.
  const more = { sort: page.last ?? [0, 0], pitId: page.cursor }
  return { form, answer: { ...page, hits }, more }
}

function reduced(hit: Hit, include: readonly string[]): Hit {
  const record = includeFields(Object(JSON.parse(hit.record)), include)
  return { ...hit, record: JSON.stringify(record) }
}

/** The page behind a place. Throws `unknown-cursor`, and `invalid-parameter` when the cursor is one of another search. */
export async function afterPage(
  index: SearchIndex,
  { request, form, from }: Wanted & { readonly from: PageStart },
  signal: AbortSignal,
): Promise<Turned> {
  const { limit, include } = request
  const [, after] = from.sort
  const page = await index.page(from.pitId, { after, limit, ...(include && { include }) }, signal)
  const { kind, print } = noteOf(page)
  if (kind !== 'search-after') throw unknown('pitId')
  if (print !== printOf(request)) {
    const detail = 'pitId belongs to a search with other parameters'
    throw invalidParameter('pitId', detail)
  }
  return { form, answer: page, more: { sort: page.last ?? from.sort, pitId: page.cursor } }
}

/** The next page in turn; facets came with the first one. */
export async function scrolledPage(
  index: SearchIndex,
  scrollId: string,
  signal: AbortSignal,
): Promise<Turned> {
  const page = await index.page(scrollId, {}, signal)
  const { kind, form } = noteOf(page)
  if (kind !== 'scroll') throw unknown('scrollId')
  return { form, answer: page, more: { scrollId: page.cursor } }
}

/** What must be the same in all pages of a run: everything but the size of a page and what is shown of a hit. */
function printOf({ indices, tree, fields, filter, order, boosts, score }: SearchRequest): string {
  const same = [indices, tree, fields, filter, order, boosts, score]
  return hash('sha256', JSON.stringify(same), 'hex')
}

const texts = z.array(z.string()).readonly()
const operator = z.enum(['AND', 'OR'])
const group = z.object({ array: z.string(), value: z.string(), values: texts })
const narrowing = z.object({
  groups: z.array(group),
  operator,
  include: texts.exactOptional(),
})
const noted = z.object({
  kind: z.enum(['scroll', 'search-after']),
  print: z.string(),
  form: z.object({
    indices: texts,
    named: z.boolean(),
    countOnly: z.boolean(),
    score: z.boolean(),
    include: texts.exactOptional(),
    narrowing: narrowing.exactOptional(),
  }),
})

const noteOf = ({ note }: Page) => noted.parse(JSON.parse(note))

const unknown = (parameter: string): Failure => {
  const detail = `there is no such ${parameter}`
  return new Failure('unknown-cursor', detail, { errors: [{ parameter, detail }] })
}
