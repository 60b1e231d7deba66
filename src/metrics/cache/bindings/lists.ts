/** Binds the routes of lists and of single datasets. */

import { hash } from 'node:crypto'
import { Failure, shown } from '../../../errors.ts'
import type { App, AppContext } from '../../../http/app.ts'
import { isFresh } from '../../../http/conditions.ts'
import { datasetDocument, distributionDocuments } from '../answering/dataset-document.ts'
import { enveloped } from '../answering/envelope.ts'
import { knownCatalogue } from '../answering/known.ts'
import { holderOf, liveDataset } from '../answering/live.ts'
import { unreachableRow, violationRow } from '../answering/rows.ts'
import type { Bound } from '../deps.ts'
import { listRoutes as routes } from '../routes/lists.ts'

export function bindLists(app: App, bound: Bound): void {
  const { figures, answer } = bound
  const known = async (id: string, c: AppContext): Promise<string> =>
    (await knownCatalogue(bound, id, c.var.signal)).id
  app.openapi(routes.violations, async (c) => {
    const { locale, ...page } = c.req.valid('query')
    const id = await known(c.req.valid('param').id, c)
    return answer(c, () => {
      const { count, rows } = figures.violations(id, page)
      return enveloped(
        rows.map((row) => violationRow(row, locale)),
        count,
      )
    })
  })
  app.openapi(routes.violationCount, async (c) => {
    const id = await known(c.req.valid('param').id, c)
    return answer(c, () => {
      const { count } = figures.violations(id, { offset: 0, limit: 0 })
      return { success: true, result: { count } }
    })
  })
  app.openapi(routes.reachability, async (c) => {
    const { locale, ...page } = c.req.valid('query')
    const id = await known(c.req.valid('param').id, c)
    return answer(c, () => {
      const { count, rows } = figures.unreachable(id, page)
      return enveloped(
        rows.map((row) => unreachableRow(row, locale)),
        count,
      )
    })
  })
}

export function bindDatasets(app: App, { source }: Bound): void {
  const { names } = source
  app.openapi(routes.dataset, async (c) => {
    const dataset = await liveDataset(source, c.req.valid('param').id, c.var.signal)
    return live(c, [datasetDocument(dataset, { names, locale: c.req.valid('query').locale })])
  })
  app.openapi(routes.distributions, async (c) => {
    const dataset = await liveDataset(source, c.req.valid('param').id, c.var.signal)
    const { locale } = c.req.valid('query')
    return live(c, distributionDocuments(dataset, { names, locale }))
  })
  app.openapi(routes.distribution, async (c) => {
    const { id } = c.req.valid('param')
    const dataset = await liveDataset(
      source,
      await holderOf(source, id, c.var.signal),
      c.var.signal,
    )
    const { locale } = c.req.valid('query')
    const all = distributionDocuments(dataset, { names, locale })
    const own = all.filter(([first]) => isOf(first?.['info'], id))
    if (own.length === 0)
      throw new Failure('unknown-distribution', `there is no distribution ${shown(id)}`)
    return live(c, own)
  })
}

const isOf = (info: unknown, id: string): boolean =>
  typeof info === 'object' && info !== null && Reflect.get(info, 'distribution-id') === id

/** Read from the graph at this moment: the answer is its own tag. */
function live(c: AppContext, results: readonly unknown[]): Response {
  const body = enveloped(results)
  const tag = hash('sha256', JSON.stringify(body), 'hex').slice(0, 32)
  c.header('ETag', `W/"${tag}"`)
  return isFresh(c.req.raw.headers, tag) ? c.body(null, 304) : c.json(body)
}
