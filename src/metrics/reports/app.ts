/** The reports bound to their routes: pages to print, CSV and JSON. */

import { hash } from 'node:crypto'
import { Failure } from '../../errors.ts'
import { newApp, type App, type AppContext, type AppOptions } from '../../http/app.ts'
import { isFresh } from '../../http/conditions.ts'
import { docs } from '../../http/docs-page.ts'
import { longAnswer } from '../../http/shell/flow.ts'
import { negotiate } from '../../rdf/media-types.ts'
import { addressesFrom, type Form } from './addresses.ts'
import { csvOf } from './csv.ts'
import { catalogueReport, portalReport, type Ground } from './gathering.ts'
import { jsonOf } from './json.ts'
import { pageOf } from './page/page.ts'
import { policy } from './page/style.ts'
import type { Report } from './report.ts'
import { reportRoutes as routes } from './routes.ts'

export type ReportsDeps = Ground & {
  readonly http: Omit<AppOptions, 'name'>
  readonly version: string
}

/** In the order of our preference: programs that ask for nothing get JSON, browsers ask for HTML. */
const types = {
  json: 'application/json',
  html: 'text/html',
  csv: 'text/csv',
} as const satisfies Record<Form, string>

const suffix = /\.(html|csv|json)$/

/** `/portal` and `/catalogues/{id}`, each with `.html`, `.csv` or `.json` too. Open to everybody. */
export function reportsApp(deps: ReportsDeps): App {
  const app = newApp({ ...deps.http, name: 'reports' })
  const answer = answerer(deps)
  for (const route of [
    routes.portal,
    routes.portalHtml,
    routes.portalCsv,
    routes.portalJson,
  ] as const)
    app.openapi(route, (c) => {
      const { locale, order, offset, limit } = c.req.valid('query')
      const page = { offset, limit }
      const read = () => portalReport(deps, { locale, order, page })
      return longAnswer(c, () => answer(c, { own: '/portal', form: formOf(c, c.req.path), read }))
    })
  app.openapi(routes.catalogue, (c) => {
    const { id: named } = c.req.valid('param')
    const { locale } = c.req.valid('query')
    const id = named.replace(suffix, '')
    const found = deps.figures.catalogue(id)
    if (found === undefined)
      throw new Failure('unknown-catalogue', `there are no figures of a catalogue ${id}`)
    const read = () => catalogueReport(deps, found, { locale })
    return longAnswer(c, () =>
      answer(c, { own: `/catalogues/${id}`, form: formOf(c, named), read }),
    )
  })
  docs(app, {
    title: 'Quality reports',
    version: deps.version,
    description:
      'What the quality metrics found, for people: the score over time, its dimensions and indicators with their rules, ' +
      'violations, broken links, and the datasets at both ends. As pages to print, as CSV and as JSON.',
  })
  return app
}

type Wanted = { readonly own: string; readonly form: Form; readonly read: () => Report }

/** The state of a report is the number of the refresh, and what writes it. */
function answerer({ figures, bands, weights, portal, version }: ReportsDeps) {
  const writer = hash('sha256', JSON.stringify([version, policy, bands, weights, portal]), 'hex')
  return (c: AppContext, { own, form, read }: Wanted): Response => {
    const refreshed = figures.refreshed()
    const tag = `${refreshed?.number ?? 0}-${form}-${writer.slice(0, 12)}`
    c.header('ETag', `W/"${tag}"`)
    if (refreshed) c.header('Last-Modified', refreshed.at.toUTCString())
    if (!suffix.test(c.req.path)) c.header('Vary', 'Accept')
    if (isFresh(c.req.raw.headers, tag)) return c.body(null, 304)
    return written(c, { report: read(), form, own })
  }
}

function written(
  c: AppContext,
  { report, form, own }: { report: Report; form: Form; own: string },
): Response {
  switch (form) {
    case 'json':
      return c.json(jsonOf(report))
    case 'csv':
      return c.body(csvOf(report), 200, {
        'Content-Type': 'text/csv; charset=utf-8; header=present',
        'Content-Disposition': `attachment; filename="quality-${fileName(report)}.csv"`,
      })
    case 'html': {
      const addresses = addressesFrom(c.req.url, { own, locale: report.locale })
      return c.html(pageOf(report, addresses), 200, { 'Content-Security-Policy': policy })
    }
    default:
      return form satisfies never
  }
}

const fileName = ({ subject }: Report): string =>
  (subject.id ?? 'portal').replace(/[^A-Za-z0-9~_-]+/g, '-')

/** The suffix beats `Accept`. Throws `not-acceptable`. */
function formOf(c: AppContext, name: string): Form {
  const named = suffix.exec(name)?.[1]
  const type = negotiate(c.req.header('Accept'), Object.values(types))
  const forms = ['json', 'html', 'csv'] as const
  const form = forms.find((one) => (named === undefined ? types[one] === type : one === named))
  if (form !== undefined) return form
  throw new Failure('not-acceptable', `a report is ${Object.values(types).join(', ')}`)
}
