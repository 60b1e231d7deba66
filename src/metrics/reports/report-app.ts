/**
 * Endpoints of the quality reports: `/portal` and `/catalogues/{id}` as JSON and as CSV, open to anyone. The pages are the
 * portal's.
 */

import { hash } from 'node:crypto'
import { z } from '@hono/zod-openapi'
import { Failure } from '../../errors.ts'
import { type App, type AppContext, type SharedAppOptions, newApp } from '../../http/app.ts'
import { isFresh } from '../../http/conditions.ts'
import { mountContract } from '../../http/docs-page.ts'
import { anyone, endpointsFor, mount } from '../../http/endpoint.ts'
import { longAnswer } from '../../http/long-answers.ts'
import { problem } from '../../http/problem.ts'
import { idForm } from '../../rdf/ids.ts'
import { negotiate } from '../../rdf/media-types.ts'
import { localeQuery, pageQuery } from '../figures/cache-contract.ts'
import { reportCsv } from './report-csv.ts'
import { type ReportContext, reportOf, type ReportRequest } from './report.ts'

/** Dependencies of `reportsApp`. */
type ReportsAppContext = ReportContext & {
  readonly http: SharedAppOptions
  readonly version: string
  /** Path of a page of the portal below its quality page, in a language that it has; absent where the portal does not run. */
  readonly pageOf:
    | ((c: AppContext, steps: readonly string[], locale?: string) => string)
    | undefined
}

/** Media types in the order of preference: programs that ask for nothing get JSON, browsers ask for HTML. */
const types = { json: 'application/json', html: 'text/html', csv: 'text/csv' } as const

const suffix = /\.(html|csv|json)$/

/** Form that a request asks for; the suffix of its path wins over `Accept`. Throws `not-acceptable`. */
function negotiateForm(c: AppContext): keyof typeof types {
  const ending = suffix.exec(c.req.path)?.[1]
  if (ending === undefined) c.header('Vary', 'Accept', { append: true })
  const type = negotiate(c.req.header('Accept'), Object.values(types))
  const forms = ['json', 'html', 'csv'] as const
  const form = forms.find((name) => (ending === undefined ? types[name] === type : name === ending))
  if (form !== undefined) return form
  throw new Failure('not-acceptable', `a report is ${Object.values(types).join(', ')}`)
}

const language = z.object({
  locale: localeQuery.shape.locale
    .unwrap()
    .optional()
    .describe('Language of titles and messages, by default English'),
})

const listQuery = pageQuery.extend({
  ...language.shape,
  order: z.enum(['best', 'worst']).default('best').describe('Which catalogues come first'),
  limit: pageQuery.shape.limit.default(50),
})

type ReportQuery = z.output<typeof language> & Partial<z.output<typeof listQuery>>

/** Catalogues on one page of the portal, to which a redirect leads. */
const perPage = 50

/** Leads from the address of a report as HTML to its page. Throws `not-acceptable` where no portal runs. */
function redirectToPage(
  c: AppContext,
  { pageOf }: ReportsAppContext,
  { steps, query }: { readonly steps: readonly string[]; readonly query: ReportQuery },
): Response {
  if (!pageOf) {
    const path = `${c.get('address')}/${steps.length > 0 ? steps.join('/') : 'portal'}`
    const detail = 'reports as HTML are pages of the portal, which does not run here'
    throw new Failure('not-acceptable', `${detail}; ask for ${path}.json or ${path}.csv`)
  }
  const { locale: wanted, order, offset = 0 } = query
  c.header('Vary', 'Accept-Language', { append: true })
  const list = new URLSearchParams({
    ...(order === 'worst' && { order }),
    ...(offset > 0 && { page: String(Math.floor(offset / perPage) + 1) }),
  })
  return c.redirect(pageOf(c, steps, wanted) + (list.size > 0 ? `?${list.toString()}` : ''), 301)
}

/**
 * Makes the function that sends a report, or 304. The tag has the number of the refresh, the form of the report, and a hash of
 * what else it is made of.
 */
function reportSender({ figures, bands, weights, portal, version }: ReportsAppContext) {
  const writer = hash('sha256', JSON.stringify([version, bands, weights, portal]), 'hex')
  return (c: AppContext, form: 'json' | 'csv', request: ReportRequest) =>
    longAnswer(c, () => {
      const refreshed = figures.refreshed()
      const tag = `${refreshed?.number ?? 0}-${form}-${writer.slice(0, 12)}`
      c.header('ETag', `W/"${tag}"`)
      if (refreshed) c.header('Last-Modified', refreshed.at.toUTCString())
      if (isFresh(c.req.raw.headers, tag)) return c.body(null, 304)
      const report = reportOf({ figures, bands, weights, portal }, request)
      if (form === 'json') return c.json(report)
      const name = (report.id ?? 'portal').replace(/[^A-Za-z0-9~_-]+/g, '-')
      return c.body(reportCsv(report), 200, {
        'Content-Type': 'text/csv; charset=utf-8; header=present',
        'Content-Disposition': `attachment; filename="quality-${name}.csv"`,
      })
    })
}

const answers = {
  200: {
    description: 'The report, in the form that Accept or the suffix asks for',
    content: {
      'application/json': { schema: z.looseObject({ report: z.enum(['portal', 'catalogue']) }) },
      'text/csv': { schema: z.string() },
    },
  },
  301: { description: 'The page of the report, for Accept: text/html and the suffix .html' },
  304: { description: 'Not refreshed since the state named in If-None-Match' },
  400: problem('A parameter is not valid'),
  406: problem('No acceptable form, or HTML where the portal does not run'),
}

type ReportsContext = ReportsAppContext & { readonly sendReport: ReturnType<typeof reportSender> }

const reportEndpoint = endpointsFor<ReportsContext>({})

const portalReports = ['', '.html', '.csv', '.json'].map((ending) =>
  reportEndpoint({
    method: 'get',
    path: `/portal${ending}`,
    operation: `getPortal${ending.slice(1, 2).toUpperCase()}${ending.slice(2)}`,
    summary: 'The quality report of all catalogues, or only their list after the first page of it',
    auth: anyone,
    query: listQuery,
    answers,
    handle: ({ c, query }, context) => {
      const form = negotiateForm(c)
      if (form === 'html') return redirectToPage(c, context, { steps: [], query })
      const { locale = 'en', order, offset, limit } = query
      return context.sendReport(c, form, { locale, list: { order, page: { offset, limit } } })
    },
  }),
)

const readCatalogueReport = reportEndpoint({
  method: 'get',
  path: '/catalogues/{id}',
  operation: 'getCataloguesById',
  summary: 'The quality report of one catalogue',
  auth: anyone,
  params: z.object({
    id: z.string().meta({
      description: 'Id of the catalogue; .html, .csv or .json may follow',
      pattern: `^${idForm}(\\.(html|csv|json))?$`,
    }),
  }),
  query: language,
  answers: { ...answers, 404: problem('The catalogue is unknown') },
  handle: ({ c, params, query }, context) => {
    const [id, form] = [params.id.replace(suffix, ''), negotiateForm(c)]
    if (form === 'html') return redirectToPage(c, context, { steps: ['catalogues', id], query })
    const catalogue = context.figures.catalogue(id)
    if (catalogue) return context.sendReport(c, form, { locale: query.locale ?? 'en', catalogue })
    throw new Failure('unknown-catalogue', `there are no figures of a catalogue ${id}`)
  },
})

/** The endpoints of reports. */
export const reportEndpoints = [...portalReports, readCatalogueReport]

/** Makes the app. Reports follow from the figures of the last refresh, whose number is part of their tag. */
export function reportsApp(context: ReportsAppContext): App {
  const app = newApp({ ...context.http, name: 'reports' })
  const sendReport = reportSender(context)
  mount(app, reportEndpoints, { ...context, sendReport })
  mountContract(app, {
    title: 'Quality reports',
    version: context.version,
    description:
      'Results of the quality metrics: the score over time, its dimensions and indicators with their rules, violations, broken ' +
      'links, and the datasets with the lowest and the highest scores. As CSV and as JSON; the pages are those of the portal.',
  })
  return app
}
