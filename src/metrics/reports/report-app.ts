/** The endpoints of the reports: `/portal` and `/catalogues/{id}` as pages to print, CSV and JSON, open to anyone. */

import { hash } from 'node:crypto'
import { z } from '@hono/zod-openapi'
import { Failure } from '../../errors.ts'
import { type App, type AppContext, type AppOptions, newApp } from '../../http/app.ts'
import { isFresh } from '../../http/conditions.ts'
import { docs } from '../../http/docs-page.ts'
import { anyone, endpointsFor, mount } from '../../http/endpoint.ts'
import { problem } from '../../http/problem.ts'
import { longAnswer } from '../../http/long-answers.ts'
import { idForm } from '../../rdf/ids.ts'
import { negotiate } from '../../rdf/media-types.ts'
import { locale, page } from '../figures/cache-contract.ts'
import { reportCsv, reportJson } from './report-data.ts'
import {
  addressesFrom,
  type ReportAccents,
  type ReportAddresses,
  type ReportForm,
  reportHtml,
  type ReportLook,
  reportLook,
} from './report-page.ts'
import { catalogueReport, type ReportContext, portalReport, type Report } from './report.ts'
import { wordsFor } from './report-words.ts'

/** The dependencies of `reportsApp`. */
type ReportsAppContext = ReportContext & {
  readonly http: Omit<AppOptions, 'name'>
  readonly version: string
  readonly accents?: ReportAccents
  /** Names of the portal by language; pages say them in the place of its one name. */
  readonly names?: Readonly<Record<string, string>>
  /** The language of a page whose address names none: what the reader accepts, else that of the portal. */
  readonly languageOf: (c: AppContext) => string
}

/** The dependencies of the endpoints. */
type ReportsContext = ReportsAppContext & {
  /** Sends the report that `read` makes, in the form and the language of the request, or 304. */
  readonly sendReport: (
    c: AppContext,
    place: ReportPlace,
    read: (context: ReportContext, language: string) => Report,
  ) => Promise<Response>
}

/** The path of a report without a suffix, and the language that its address names. */
type ReportPlace = { readonly path: string; readonly locale: string | undefined }

/** In the order of our preference: programs that ask for nothing get JSON, browsers ask for HTML. */
const types = {
  json: 'application/json',
  html: 'text/html',
  csv: 'text/csv',
} as const satisfies Record<ReportForm, string>

const suffix = /\.(html|csv|json)$/

/** Makes `sendReport`. The state of a report is the number of the refresh, its language, and what writes it. */
function reportSender(context: ReportsAppContext): ReportsContext['sendReport'] {
  const { figures, bands, weights, portal, version, accents = {}, names = {} } = context
  const look = reportLook(accents)
  const written = JSON.stringify([version, look.policy, bands, weights, portal, names])
  const writer = hash('sha256', written, 'hex')
  return (c, { path, locale: wanted }, read) => {
    const form = formOf(c)
    // Programs get the same titles whoever calls them; only pages follow the reader.
    const accepted = form === 'html' && wanted === undefined ? context.languageOf(c) : undefined
    const language = wanted ?? accepted ?? 'en'
    const name = form === 'html' ? names[wordsFor(language).language] : undefined
    return longAnswer(c, () => {
      const refreshed = figures.refreshed()
      const state = [refreshed?.number ?? 0, form, ...(accepted === undefined ? [] : [accepted])]
      const tag = `${state.join('-')}-${writer.slice(0, 12)}`
      c.header('ETag', `W/"${tag}"`)
      if (refreshed) c.header('Last-Modified', refreshed.at.toUTCString())
      if (!suffix.test(c.req.path)) c.header('Vary', 'Accept')
      if (accepted !== undefined) c.header('Vary', 'Accept-Language', { append: true })
      if (isFresh(c.req.raw.headers, tag)) return c.body(null, 304)
      const report = read({ ...context, portal: name ?? portal }, language)
      // English needs no name: whoever reads it here is answered in English there.
      const locale = wanted ?? (accepted === 'en' ? undefined : accepted)
      const addresses = addressesFrom(c.req.url, { own: path, locale })
      return reportResponse(c, report, { form, addresses, look })
    })
  }
}

function reportResponse(
  c: AppContext,
  report: Report,
  { form, addresses, look }: { form: ReportForm; addresses: ReportAddresses; look: ReportLook },
): Response | Promise<Response> {
  if (form === 'json') return c.json(reportJson(report))
  if (form === 'html') {
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

const language = z.object({
  locale: locale.shape.locale
    .unwrap()
    .optional()
    .describe(
      'Language of titles and messages, and of the words of a page. Without it pages follow Accept-Language, CSV and JSON have English titles',
    ),
})

const listQuery = page.extend({
  ...language.shape,
  order: z.enum(['best', 'worst']).default('best').describe('Which catalogues come first'),
  limit: page.shape.limit.default(50),
})

const text = { schema: z.string() }

const answers = {
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

const reportEndpoint = endpointsFor<ReportsContext>({})

const portalReports = ['', '.html', '.csv', '.json'].map((form) =>
  reportEndpoint({
    method: 'get',
    path: `/portal${form}`,
    summary: 'The quality report of all catalogues, or only their list after the first page of it',
    auth: anyone,
    query: listQuery,
    answers,
    handle: ({ c, query: { locale, order, offset, limit } }, { sendReport }) =>
      sendReport(c, { path: '/portal', locale }, (context, language) =>
        portalReport(context, { locale: language, order, page: { offset, limit } }),
      ),
  }),
)

const readCatalogueReport = reportEndpoint({
  method: 'get',
  path: '/catalogues/{id}',
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
  handle: ({ c, params, query: { locale } }, { figures, sendReport }) => {
    const id = params.id.replace(suffix, '')
    const catalogue = figures.catalogue(id)
    if (catalogue === undefined)
      throw new Failure('unknown-catalogue', `there are no figures of a catalogue ${id}`)
    return sendReport(c, { path: `/catalogues/${id}`, locale }, (context, language) =>
      catalogueReport(context, catalogue, { locale: language }),
    )
  },
})

/** Makes the app. Reports follow from the figures of the last refresh, whose number is part of their tag. */
export function reportsApp(context: ReportsAppContext): App {
  const app = newApp({ ...context.http, name: 'reports' })
  const sendReport = reportSender(context)
  mount(app, [...portalReports, readCatalogueReport], { ...context, sendReport })
  docs(app, {
    title: 'Quality reports',
    version: context.version,
    description:
      'What the quality metrics found, for people: the score over time, its dimensions and indicators with their rules, ' +
      'violations, broken links, and the datasets at both ends. As pages to print, as CSV and as JSON.',
  })
  return app
}
