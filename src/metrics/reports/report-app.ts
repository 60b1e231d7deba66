/** The routes of the reports: `/portal` and `/catalogues/{id}` as pages to print, CSV and JSON. Open to everybody. */

import { hash } from 'node:crypto'
import { createRoute, z } from '@hono/zod-openapi'
import { Failure } from '../../errors.ts'
import { type App, type AppContext, type AppOptions, newApp } from '../../http/app.ts'
import { isFresh } from '../../http/conditions.ts'
import { problem } from '../../http/problem.ts'
import { docs } from '../../http/docs-page.ts'
import { longAnswer } from '../../http/long-answers.ts'
import { idForm } from '../../rdf/ids.ts'
import { negotiate } from '../../rdf/media-types.ts'
import { addressesFrom, type ReportForm } from './page-parts.ts'
import { reportCsv, reportJson } from './report-data.ts'
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

const portalForms = [
  ['', ''],
  ['.html', ' as a page'],
  ['.csv', ' as CSV'],
  ['.json', ' as JSON'],
] as const

/** The API below its base path. Reports follow from the figures of the last refresh, whose number is part of their tag. */
export function reportsApp(deps: ReportsDeps): App {
  const app = newApp({ ...deps.http, name: 'reports' })
  const answer = answerer(deps)
  for (const [form, words] of portalForms)
    app.openapi(portalRoute(`/portal${form}`, words), (c) => {
      const { locale: language, order, offset, limit } = c.req.valid('query')
      const request = { locale: language, order, page: { offset, limit } }
      return answer(c, '/portal', () => portalReport(deps, request))
    })
  app.openapi(catalogueRoute, (c) => {
    const id = c.req.valid('param').id.replace(suffix, '')
    const found = deps.figures.catalogue(id)
    if (found === undefined)
      throw new Failure('unknown-catalogue', `there are no figures of a catalogue ${id}`)
    return answer(c, `/catalogues/${id}`, () => catalogueReport(deps, found, c.req.valid('query')))
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

/** Answers reports; `own` is the path of one without a suffix. Its state is the number of the refresh, and what writes it. */
function answerer({ figures, bands, weights, portal, version }: ReportsDeps) {
  const writer = hash('sha256', JSON.stringify([version, policy, bands, weights, portal]), 'hex')
  return (c: AppContext, own: string, read: () => Report) => {
    const form = formOf(c)
    return longAnswer(c, () => {
      const refreshed = figures.refreshed()
      const tag = `${refreshed?.number ?? 0}-${form}-${writer.slice(0, 12)}`
      c.header('ETag', `W/"${tag}"`)
      if (refreshed) c.header('Last-Modified', refreshed.at.toUTCString())
      if (!suffix.test(c.req.path)) c.header('Vary', 'Accept')
      return isFresh(c.req.raw.headers, tag)
        ? c.body(null, 304)
        : reportResponse(c, read(), form, own)
    })
  }
}

function reportResponse(c: AppContext, report: Report, form: ReportForm, own: string): Response {
  if (form === 'json') return c.json(reportJson(report))
  if (form === 'html') {
    const addresses = addressesFrom(c.req.url, { own, locale: report.locale })
    return c.html(reportHtml(report, addresses), 200, { 'Content-Security-Policy': policy })
  }
  const name = (report.subject.id ?? 'portal').replace(/[^A-Za-z0-9~_-]+/g, '-')
  return c.body(reportCsv(report), 200, {
    'Content-Type': 'text/csv; charset=utf-8; header=present',
    'Content-Disposition': `attachment; filename="quality-${name}.csv"`,
  })
}

/** The suffix beats `Accept`. Throws `not-acceptable`. */
function formOf(c: AppContext): ReportForm {
  const named = suffix.exec(c.req.path)?.[1]
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

const listQuery = z.object({
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
    .meta({ description: 'Catalogues passed over; after 0 the report is only their list' }),
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

const portalRoute = <Path extends string>(path: Path, form: string) =>
  createRoute({
    method: 'get',
    path,
    summary: `The quality report of all catalogues${form}`,
    request: { query: listQuery },
    responses,
  })

const catalogueRoute = createRoute({
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
})
