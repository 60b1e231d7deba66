/** The routes of the reports: pages to print, CSV and JSON, with the addresses by which they link to each other. */

import { hash } from 'node:crypto'
import { createRoute, z } from '@hono/zod-openapi'
import { Failure } from '../../errors.ts'
import { type App, type AppContext, type AppOptions, newApp } from '../../http/app.ts'
import { isFresh } from '../../http/conditions.ts'
import { problem } from '../../http/contract/problem.ts'
import { docs } from '../../http/docs-page.ts'
import { longAnswer } from '../../http/shell/flow.ts'
import { idForm } from '../../rdf/ids.ts'
import { negotiate } from '../../rdf/media-types.ts'
import { addressesFrom, type ReportForm } from './page-parts.ts'
import { reportCsv } from './report-csv.ts'
import { reportJson } from './report-json.ts'
import { reportHtml, policy } from './report-page.ts'
import { catalogueReport, type ReportContext, portalReport, type Report } from './report.ts'

type ReportsDeps = ReportContext & {
  readonly http: Omit<AppOptions, 'name'>
  readonly version: string
}

/** In the order of our preference: programs that ask for nothing get JSON, browsers ask for HTML. */
const types = {
  json: 'application/json',
  html: 'text/html',
  csv: 'text/csv',
} as const satisfies Record<ReportForm, string>

const suffix = /\.(html|csv|json)$/

/** `/portal` and `/catalogues/{id}`, each with `.html`, `.csv` or `.json` too. Open to everybody. */
export function reportsApp(deps: ReportsDeps): App {
  const app = newApp({ ...deps.http, name: 'reports' })
  const answer = answerer(deps)
  for (const route of [
    reportRoutes.portal,
    reportRoutes.portalHtml,
    reportRoutes.portalCsv,
    reportRoutes.portalJson,
  ] as const)
    app.openapi(route, (c) => {
      const { locale, order, offset, limit } = c.req.valid('query')
      const page = { offset, limit }
      const read = () => portalReport(deps, { locale, order, page })
      return longAnswer(c, () => answer(c, { own: '/portal', form: formOf(c, c.req.path), read }))
    })
  app.openapi(reportRoutes.catalogue, (c) => {
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

type Wanted = { readonly own: string; readonly form: ReportForm; readonly read: () => Report }

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
  { report, form, own }: { report: Report; form: ReportForm; own: string },
): Response {
  switch (form) {
    case 'json':
      return c.json(reportJson(report))
    case 'csv':
      return c.body(reportCsv(report), 200, {
        'Content-Type': 'text/csv; charset=utf-8; header=present',
        'Content-Disposition': `attachment; filename="quality-${fileName(report)}.csv"`,
      })
    case 'html': {
      const addresses = addressesFrom(c.req.url, { own, locale: report.locale })
      return c.html(reportHtml(report, addresses), 200, { 'Content-Security-Policy': policy })
    }
    default:
      return form satisfies never
  }
}

const fileName = ({ subject }: Report): string =>
  (subject.id ?? 'portal').replace(/[^A-Za-z0-9~_-]+/g, '-')

/** The suffix beats `Accept`. Throws `not-acceptable`. */
function formOf(c: AppContext, name: string): ReportForm {
  const named = suffix.exec(name)?.[1]
  const type = negotiate(c.req.header('Accept'), Object.values(types))
  const forms = ['json', 'html', 'csv'] as const
  const form = forms.find((one) => (named === undefined ? types[one] === type : one === named))
  if (form !== undefined) return form
  throw new Failure('not-acceptable', `a report is ${Object.values(types).join(', ')}`)
}

const locale = z
  .string()
  .regex(/^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8})*$/, 'a language code such as de')
  .default('en')
  .meta({ description: 'Language of titles and messages; the words of the report are English' })

const list = z.object({
  locale,
  order: z
    .enum(['best', 'worst'])
    .default('best')
    .meta({ description: 'Which catalogues come first' }),
  offset: z.coerce
    .number()
    .int()
    .min(0)
    .default(0)
    .meta({ description: 'Catalogues passed over; behind 0 the report is only their list' }),
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(1000)
    .default(50)
    .meta({ description: 'Catalogues of one page' }),
})

const text = { schema: z.string() }

const responses = {
  200: {
    description: 'The report, in the form that Accept or the suffix asks for',
    content: {
      'application/json': { schema: z.looseObject({ report: z.enum(['portal', 'catalogue']) }) },
      'text/html': text,
      'text/csv': text,
    },
  },
  304: { description: 'Not refreshed since the state named in If-None-Match' },
  400: problem('A parameter is not valid'),
  406: problem('No acceptable form'),
}

const portal = <Path extends string>(path: Path, form: string) =>
  createRoute({
    method: 'get',
    path,
    summary: `The quality report of all catalogues${form}`,
    request: { query: list },
    responses,
  })

const reportRoutes = {
  portal: portal('/portal', ''),
  portalHtml: portal('/portal.html', ' as a page'),
  portalCsv: portal('/portal.csv', ' as CSV'),
  portalJson: portal('/portal.json', ' as JSON'),
  catalogue: createRoute({
    method: 'get',
    path: '/catalogues/{id}',
    summary: 'The quality report of one catalogue',
    request: {
      params: z.object({
        id: z.string().meta({
          description: 'Id of the catalogue; .html, .csv or .json may follow',
          pattern: `^${idForm}(\\.(html|csv|json))?$`,
        }),
      }),
      query: z.object({ locale }),
    },
    responses: { ...responses, 404: problem('The catalogue is unknown') },
  }),
}
