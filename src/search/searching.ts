/** Searching bound to its routes: single pages, snapshots read page by page, parameters by GET and by POST. */

import { Failure } from '../errors.ts'
import type { App, AppContext } from '../http/app.ts'
import { readBody } from '../http/body.ts'
import { answered, scrolled, searchFor, type Answered, type Caller } from './answering.ts'
import type { AnswerSchemas } from './contract/schemas.ts'
import type { SearchDeps } from './deps.ts'
import { parametersOfBody } from './request/body.ts'
import { parametersOf } from './request/parameters.ts'
import { json } from './routes/answers.ts'
import { searchRoutes } from './routes/searching.ts'
import type { Tagged } from './tags.ts'

export function bindSearching(
  app: App,
  deps: SearchDeps,
  { schemas, tagged }: { readonly schemas: AnswerSchemas; readonly tagged: Tagged },
): void {
  const { limits } = deps
  const routes = searchRoutes(schemas)
  app.openapi(routes.search, (c) => {
    const search = searchFor(deps, parametersOf(queryOf(c), limits))
    const make = async () => answerText(c, await answered(deps, search, callerOf(c)))
    return search.run ? unkept(make) : tagged(c, make)
  })
  app.openapi(routes.searchByBody, async (c) => {
    const search = searchFor(deps, parametersOfBody(await bodyOf(c, limits.bodyBytes), limits))
    return unkept(async () => answerText(c, await answered(deps, search, callerOf(c))))
  })
  app.openapi(routes.scroll, (c) =>
    unkept(async () => answerText(c, await scrolled(deps, scrollIdOf(c), callerOf(c)))),
  )
}

const queryOf = (c: AppContext): URLSearchParams => new URL(c.req.url).searchParams

const callerOf = (c: AppContext): Caller => ({ client: c.get('client'), signal: c.var.signal })

/** Parameters are small; whoever sends more keeps everybody waiting while it is read. */
const mostBytes = 2 ** 20

async function bodyOf(c: AppContext, bodyBytes: number): Promise<string> {
  const bytes = Math.min(bodyBytes, mostBytes)
  const limits = { bytes, name: `bodyBytes, at most ${mostBytes} for a search,` }
  return new TextDecoder().decode(await readBody(c.req.raw, limits, c.var.signal))
}

function scrollIdOf(c: AppContext): string {
  const id = queryOf(c).get('scrollId')?.trim()
  if (id) return id
  const detail = 'the parameter scrollId is missing'
  throw new Failure('invalid-parameter', detail, { errors: [{ parameter: 'scrollId', detail }] })
}

/** Nobody may keep a page for the next one, nor the answer to a body for that of another. */
async function unkept(make: () => Promise<Response>): Promise<Response> {
  const answer = await make()
  answer.headers.set('Cache-Control', 'no-store')
  return answer
}

function answerText(c: AppContext, { answer, text }: Answered): Response {
  // A wildcard that stands for more words than are looked for finds less than it says.
  const { length } = answer.shortened ?? []
  const shortened = length > 0 ? { 'Wildcards-Shortened': String(length) } : {}
  return c.body(text, 200, { 'Content-Type': json, ...shortened })
}
