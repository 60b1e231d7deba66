/** Endpoint that checks the description of a dataset from a form: parses and validates the text, and stores nothing. */

import { Failure } from '../errors.ts'
import { wrongKeyCounter } from '../http/api-key.ts'
import type { AppContext } from '../http/app.ts'
import { anyone, type Endpoint, pageEndpoint } from '../http/endpoint.ts'
import { readForm } from '../http/form.ts'
import { longestOfSteward, longestOfStranger, openChecker } from './check/checker.ts'
import type { PageContext } from './context.ts'
import { checkPage, shapeModelOf } from './pages/check-page.ts'
import type { PortalServices } from './portal-services.ts'

/** Most checks of a client in a minute. */
const checksPerMinute = 20

/** Most bytes of a form: the longest text, whose bytes a form may percent-encode as three each, and more. */
const maxFormBytes = 8 * 2 ** 20

/** Makes the endpoint. The check runs outside the queue of pages, because it may take longer than a page. */
export function checkEndpoint(): Endpoint<PortalServices> {
  const checker = openChecker()
  const checks = wrongKeyCounter({ perMinute: checksPerMinute, now: Date.now })
  const clients = new Set<string>()
  const inLimits = async (client: string, work: () => Promise<Response>) => {
    const retryAfter = clients.has(client) ? 2 : checks.secondsBlocked(client)
    const detail = `one text at a time is checked, and at most ${checksPerMinute} in a minute`
    if (retryAfter !== undefined) throw new Failure('too-many-requests', detail, { retryAfter })
    checks.count(client)
    clients.add(client)
    return work().finally(() => clients.delete(client))
  }
  const outcomeOf = async (page: PageContext, c: AppContext, rdf: string, level: string) => {
    const context = { ...page, signal: c.get('signal') }
    const maxBytes = context.steward ? longestOfSteward : longestOfStranger
    if (Buffer.byteLength(rdf) > maxBytes) {
      const hint = context.steward ? '' : `; ${longestOfSteward} after signing in`
      throw new Failure('too-large', `at most ${maxBytes} bytes are checked at once${hint}`)
    }
    return rdf.trim() === '' ? undefined : checker.check(context, rdf, shapeModelOf(level))
  }
  return pageEndpoint<PortalServices>({
    method: 'post',
    path: '/:language/check',
    operation: 'checkDescription',
    tag: 'pages',
    summary: 'Check a description',
    example: '/en/check',
    auth: anyone,
    page: (c, { contextOf, respond }) =>
      inLimits(c.get('client'), async () => {
        const field = await readForm(c, maxFormBytes)
        const form = { rdf: field('rdf'), level: field('level') }
        const outcome = await outcomeOf(await contextOf(c), c, form.rdf, form.level)
        return respond(c, async (context) =>
          checkPage(context, { ...form, ...(outcome && { outcome }) }),
        )
      }),
  })
}
