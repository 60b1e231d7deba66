/** The validation service: RDF in, a SHACL report out. */

import { createRoute, z } from '@hono/zod-openapi'
import { Failure } from '../../errors.ts'
import { type App, type AppContext, type AppOptions, newApp } from '../../http/app.ts'
import { problem } from '../../http/problem.ts'
import { docs } from '../../http/docs-page.ts'
import type { Limits } from '../../http/limits.ts'
import { answerFormat, answerRdf, demandText, receiveRdf } from '../../http/rdf.ts'
import { readLines, toLines } from '../../rdf/lines.ts'
import { formats } from '../../rdf/media-types.ts'
import { blankNode } from '../../rdf/terms.ts'
import { FairLimiter } from '../../workers/fair-limiter.ts'
import { expectedScore, type ScoreExpectation } from '../measure/expected-score.ts'
import { reportQuads } from '../measure/validation-report.ts'
import { chosenModels } from './shape-files.ts'
import type { Validation } from './validation.ts'

type ValidationAppDeps = {
  readonly validation: Validation
  readonly expected: ScoreExpectation
  /** Whether a request shows a key: strangers may send 200 kB. */
  readonly hasKey: (c: AppContext) => boolean
  readonly limits: Pick<Limits, 'validationBytes' | 'validationsPerClient' | 'validations'>
  readonly http: Omit<AppOptions, 'name'>
  readonly version: string
  /** Whether an IRI is one of the platform's own: catalogue records of senders are validated. */
  readonly isOwn: (iri: string) => boolean
}

/** Bytes of a body of somebody without a key. */
const strangerBytes = 200_000

/** Limits validations of each client and of all; beyond that `too-many-requests`. */
function validationLimiter(limits: ValidationAppDeps['limits']): FairLimiter {
  const { validations, validationsPerClient } = limits
  const detail =
    `at most ${validationsPerClient} of one client and ${validations} of all at once ` +
    '(limits validationsPerClient and validations); wait for one to finish'
  const refusal = () => new Failure('too-many-requests', detail, { retryAfter: 1 })
  return new FairLimiter({ atOnce: validations, perClient: validationsPerClient, refusal })
}

/** Open to everybody, within narrow limits. */
export function validationApp(deps: ValidationAppDeps): App {
  const { validationBytes } = deps.limits
  const app = newApp({ ...deps.http, name: 'validation' })
  const limit = validationLimiter(deps.limits)
  const inTurn = <Answer>(c: AppContext, work: () => Promise<Answer>) =>
    limit.run(c.var.client, work, c.var.signal)
  const checked = async (c: AppContext) => {
    const models = chosenModels(choiceOf(c), deps.validation.models())
    const limits = deps.hasKey(c)
      ? { bytes: validationBytes, name: 'validationBytes' }
      : { bytes: Math.min(validationBytes, strangerBytes), name: 'validationBytes, with a key' }
    const sent = await receiveRdf(c, limits)
    demandText(sent.text)
    const place = { ...sent, baseIri: `${c.get('address')}/` }
    const record = await deps.validation.read(place, deps.isOwn, c.var.signal)
    const options = { withRecords: true }
    return { record, report: await deps.validation.validate(record, models, c.var.signal, options) }
  }
  app.openapi(reportRoute, (c) =>
    inTurn(c, async () => {
      // Before the work: what it finds could not be answered.
      answerFormat(c)
      const { report } = await checked(c)
      return answerRdf(c, toLines(reportQuads(blankNode(), report)))
    }),
  )
  app.openapi(scoreRoute, (c) =>
    inTurn(c, async () => {
      const { record, report } = await checked(c)
      const isCompliant = !report.results.some(({ severity }) => severity === 'Violation')
      return c.json(
        {
          datasets: await deps.expected(await readLines(record), isCompliant, c.var.signal),
        },
        200,
      )
    }),
  )
  docs(app, {
    title: 'Validation',
    version: deps.version,
    description: 'Shows how far descriptions of datasets follow DCAT-AP.',
  })
  return app
}

/** Also when a parameter is repeated. */
function choiceOf(c: AppContext) {
  return { shapeModel: c.req.queries('shapeModel'), customized: c.req.queries('customized') }
}

// The contract of the validation service.

const text = { schema: { type: 'string' as const } }
const rdf = Object.fromEntries(Object.values(formats).map(({ mediaType }) => [mediaType, text]))

const names = z.union([z.string(), z.array(z.string())]).optional()

const request = {
  query: z.object({
    shapeModel: names.openapi({
      description:
        'Models of which one has to conform; dcatap301level1 when absent. Level 1 is what must be, level 2 also what is ' +
        'recommended, level 3 also controlled vocabularies and deprecated terms, a name without level also the classes ' +
        'of all values; customized is level 1 of 3.0.1 and the sets named beside it.',
      example: 'dcatap301level2',
    }),
    customized: names.openapi({
      description:
        'Sets for the model customized, with commas: range, recommended, vocabularies, deprecated',
    }),
  }),
  body: { required: true, content: rdf },
}

const problems = {
  400: problem('The RDF cannot be parsed, or there is no such model'),
  413: problem('The body is too large'),
  415: problem('The media type is none of RDF'),
  422: problem('The description cannot be validated against the model'),
  429: problem('Too many validations of one client at once'),
  503: problem('The validation took too long, or too many wait'),
  default: problem('Problem (RFC 9457)'),
}

const reportRoute = createRoute({
  method: 'post',
  path: '/validation/report',
  summary: 'Validate descriptions against a model of SHACL shapes',
  description:
    'Catalogue records are not looked at, because platforms write them for themselves. A description complies with ' +
    'DCAT-AP when the report has no result of severity violation; `sh:conforms` is true only without any result.',
  request,
  responses: {
    200: { description: 'The report (sh:ValidationReport)', content: rdf },
    406: problem('None of the accepted media types can be served'),
    ...problems,
  },
})

const scores = z.object({ datasets: z.array(expectedScore) })
const scoreRoute = createRoute({
  method: 'post',
  path: '/validation/score',
  summary: 'Points that datasets would reach if they were published as they are',
  description:
    'Of at most ten datasets with an IRI. Links are not asked: up to 80 points more are given for those that work.',
  request,
  responses: {
    200: { description: 'The points', content: { 'application/json': { schema: scores } } },
    ...problems,
  },
})
