/** The one place where searches are answered, whichever way they came. */

import type { Answer, Hit } from '../search-index/search-index.ts'
import type { SearchDeps } from './deps.ts'
import { envelopeText, shownBy, type Form } from './envelope.ts'
import { datasetCounts } from './reads/lists.ts'
import { afterPage, firstPage, scrolledPage, type Turned } from './pages.ts'
import type { Parameters } from './request/parameters.ts'
import { searchOf, type Search } from './request/search-request.ts'

export type Caller = {
  /** Who pays for cursors. */
  readonly client: string
  readonly signal: AbortSignal
}

export type Answered = {
  readonly answer: Answer
  /** The envelope as JSON. */
  readonly text: string
}

/** What the parameters ask for. Throws as `searchOf`. */
export function searchFor(deps: SearchDeps, parameters: Parameters): Search {
  const { resources } = deps.profile
  const bounds = new Map(resources.map(({ id, search }) => [`resource_${id}`, search]))
  return searchOf(parameters, { ...deps, bounds, settings: deps.settings() })
}

/** The answer to a search. Throws as the engine, and `unknown-cursor` for a continuation. */
export async function answered(
  deps: SearchDeps,
  search: Search,
  caller: Caller,
): Promise<Answered> {
  const { request, run } = search
  const form = formOf(search)
  // Without a known index there is nothing to ask the engine.
  if (request.indices.length === 0) return shownAs(deps, { form, answer: nothing }, caller)
  if (!run) {
    const answer = await deps.index.search(request, caller.signal)
    return shownAs(deps, { form, answer }, caller)
  }
  const { from } = run.kind === 'scroll' ? {} : run
  const wanted = { request, form, kind: run.kind }
  const page = from
    ? await afterPage(deps.index, { ...wanted, from }, caller.signal)
    : await firstPage(deps.index, { ...wanted, client: caller.client }, caller.signal)
  return shownAs(deps, page, caller)
}

/** The next page of a scroll. Throws `unknown-cursor`. */
export async function scrolled(
  deps: SearchDeps,
  scrollId: string,
  caller: Caller,
): Promise<Answered> {
  return shownAs(deps, await scrolledPage(deps.index, scrollId, caller.signal), caller)
}

const nothing: Answer = { count: 0, hits: [] }

const formOf = ({ request, named, countOnly, include, narrowing }: Search): Form => ({
  indices: request.indices,
  named,
  countOnly,
  score: request.score,
  ...(include && { include }),
  ...(narrowing && { narrowing }),
})

async function shownAs(
  deps: SearchDeps,
  { form, answer, more }: Turned,
  { signal }: Caller,
): Promise<Answered> {
  const isCounted = ({ index }: Hit) => index === 'catalogue'
  const shown = shownBy(form.include)('count') && answer.hits.some(isCounted)
  const counts = shown ? await datasetCounts(deps.index, signal) : new Map<string, number>()
  const scene = { settings: deps.settings(), counts, ...(more && { more }) }
  return { answer, text: envelopeText(form, answer, scene) }
}
