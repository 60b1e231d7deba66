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
import { locale, page } from '../figures/cache-contract.ts'
import { reportCsv, reportJson } from './report-data.ts'
import {
  addressesFrom,
  type ReportAccents,
  type ReportForm,
  reportHtml,
  type ReportLook,
  reportLook,
} from './report-page.ts'
import { catalogueReport, type ReportContext, portalReport, type Report } from './report.ts'

type ReportsDeps = ReportContext & {
  readonly http: Omit<AppOptions, 'name'>
  readonly version: string
  readonly accents?: ReportAccents
}

/** In the order of our preference: programs that ask for nothing get JSON, browsers ask for HTML. */
const types = {
  json: 'application/json',
  html: 'text/html',
  csv: 'text/csv',
} as const satisfies Record<ReportForm, string>

const suffix = /\.(html|csv|json)$/

/** The API below its base path. Reports follow from the figures of the last refresh, whose number is part of their tag. */
export function reportsApp(deps: ReportsDeps): App {
  const app = newApp({ ...deps.http, name: 'reports' })
  const answer = answerer(deps)
  for (const form of ['', '.html', '.csv', '.json'])
    app.openapi(portalRoute(form), (c) => {
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
function answerer({ figures, bands, weights, portal, version, accents = {} }: ReportsDeps) {
  const look = reportLook(portal, accents)
  const written = JSON.stringify([version, look.policy, bands, weights, portal])
  const writer = hash('sha256', written, 'hex')
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
        : reportResponse(c, read(), { form, own, look })
    })
  }
}

function reportResponse(
  c: AppContext,
  report: Report,
  { form, own, look }: { form: ReportForm; own: string; look: ReportLook },
): Response | Promise<Response> {
  if (form === 'json') return c.json(reportJson(report))
  if (form === 'html') {
    const addresses = addressesFrom(c.req.url, { own, locale: report.locale })
    return c.html(reportHtml(report, addresses, look), 200, {
      'Content-Security-Policy': look.policy,
    })
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

const listQuery = page.extend({
  ...locale.shape,
  order: z.enum(['best', 'worst']).default('best').describe('Which catalogues come first'),
  limit: page.shape.limit.default(50),
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

const portalRoute = (form: string) =>
  createRoute({
    method: 'get',
    path: `/portal${form}`,
    summary: 'The quality report of all catalogues, or only their list after the first page of it',
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
    query: locale,
  },
  responses: { ...responses, 404: problem('The catalogue is unknown') },
})
