/** The CKAN calls bound to their routes. */

import type { App, AppContext } from '../../http/app.ts'
import { readBody } from '../../http/body.ts'
import { answerFlow, longAnswer } from '../../http/shell/flow.ts'
import { Failure } from '../../errors.ts'
import { json } from '../routes/answers.ts'
import { enveloped, refused } from './answers.ts'
import { packageList, packageShow } from './package-reads.ts'
import { packageSearch, type CkanDeps } from './package-search.ts'
import { givenByBody, givenByQuery, type Given } from './parameters.ts'
import { actions, getRoute, postRoute, prefixes, type Action } from './routes.ts'

type Act = (deps: CkanDeps, given: Given, signal: AbortSignal) => AsyncGenerator<string>

const acts = {
  package_list: packageList,
  package_show: packageShow,
  package_search: packageSearch,
} as const satisfies Readonly<Record<Action, Act>>

/** `/ckan/{action}` and `/ckan/api/3/action/{action}`, each by GET and by POST. */
export function bindCkan(app: App, deps: CkanDeps): void {
  const { log, requestMs: pieceMs = 60_000 } = deps.http
  const answer = async (c: AppContext, act: Act, given: () => Given | Promise<Given>) => {
    try {
      const help = `${c.get('address')}/`
      const pieces = enveloped(help, act(deps, await given(), c.var.signal))
      const headers = { 'Content-Type': json }
      return await longAnswer(c, () => answerFlow(c, pieces, { log, pieceMs, headers }))
    } catch (error) {
      return refused(c, error, log)
    }
  }
  const byQuery = (c: AppContext) => () => givenByQuery(new URL(c.req.url).searchParams)
  const byBody = (c: AppContext) => async () => givenByBody(await bodyOf(c, deps))
  for (const prefix of prefixes) {
    for (const action of names) {
      app.openapi(getRoute(action, prefix), (c) => answer(c, acts[action], byQuery(c)))
      app.openapi(postRoute(action, prefix), (c) => answer(c, acts[action], byBody(c)))
    }
    const none = (c: AppContext) => refused(c, unknownAction(c), log)
    app.on(['GET', 'POST'], `${prefix}/:action`, none)
  }
}

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys are those of the table's type
const names = Object.keys(actions) as Action[]

const unknownAction = (c: AppContext): Failure =>
  new Failure('not-found', `there is no action at ${c.req.path}, only ${names.join(', ')}`)

/** Calls are small. */
const mostBytes = 2 ** 20

/** Whatever the media type: clients of CKAN send JSON as forms. */
async function bodyOf(c: AppContext, { limits }: CkanDeps): Promise<string> {
  const bytes = Math.min(limits.bodyBytes, mostBytes)
  return new TextDecoder().decode(await readBody(c.req.raw, { bytes }, c.var.signal))
}
