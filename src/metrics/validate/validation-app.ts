/** The validation service: a client sends RDF and gets a SHACL report or the expected scores. */

import { z } from '@hono/zod-openapi'
import { Failure } from '../../errors.ts'
import { type App, type AppContext, type SharedAppOptions, newApp } from '../../http/app.ts'
import { mountContract } from '../../http/docs-page.ts'
import { anyone, endpointsFor, mount } from '../../http/endpoint.ts'
import { problem } from '../../http/problem.ts'
import type { Limits } from '../../http/limits.ts'
import { answerFormat, answerRdf, refuseEmptyText, readRdfText } from '../../http/rdf.ts'
import { readLines, toLines } from '../../rdf/lines.ts'
import { formats } from '../../rdf/media-types.ts'
import { blankNode } from '../../rdf/terms.ts'
import { FairLimiter } from '../../workers/fair-limiter.ts'
import { expectedScore, type ScoreExpectation } from '../measure/expected-score.ts'
import { reportQuads } from '../measure/validation-report.ts'
import { requestedModels } from './shape-files.ts'
import type { Validation } from './validation.ts'

/** The dependencies of `validationApp`. */
type ValidationAppContext = {
  readonly validation: Validation
  readonly expected: ScoreExpectation
  /** Whether a request has a valid key; without one a body may have 200,000 bytes. */
  readonly hasKey: (c: AppContext) => boolean
  readonly limits: Pick<Limits, 'validationBytes' | 'validationsPerClient' | 'validations'>
  readonly http: SharedAppOptions
  readonly version: string
  /** Whether an IRI is one of the platform's own; catalogue records with such an IRI are left out, others are validated. */
  readonly isPlatformIri: (iri: string) => boolean
}

/** The dependencies of the endpoints. */
type ValidationContext = ValidationAppContext & {
  /** Limits validations of each client and of all. */
  readonly limiter: FairLimiter
}

/** Most bytes of a body that is sent without a key. */
const bytesWithoutKey = 200_000

/** The models that the query names; a parameter may be repeated. */
function choiceOf(c: AppContext) {
  return { shapeModel: c.req.queries('shapeModel'), customized: c.req.queries('customized') }
}

/** Reads the record of the body and validates it against the models that the query names. Throws what `Validation` throws. */
async function validateBody(c: AppContext, context: ValidationContext) {
  const { validation, limits, hasKey, isPlatformIri } = context
  const models = requestedModels(choiceOf(c), validation.models())
  const { validationBytes } = limits
  const bodyLimits = hasKey(c)
    ? { bytes: validationBytes, name: 'validationBytes' }
    : { bytes: Math.min(validationBytes, bytesWithoutKey), name: 'validationBytes, with a key' }
  const input = await readRdfText(c, bodyLimits)
  refuseEmptyText(input.text)
  const source = { ...input, baseIri: `${c.get('address')}/` }
  const record = await validation.read(source, isPlatformIri, c.var.signal)
  const report = await validation.validate(record, models, c.var.signal, { withRecords: true })
  return { record, report }
}

// The contract of the validation service.

const text = { schema: { type: 'string' as const } }
const rdf = Object.fromEntries(Object.values(formats).map(({ mediaType }) => [mediaType, text]))

const names = z.union([z.string(), z.array(z.string())]).optional()

const query = z.object({
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
})
const body = { required: true, content: rdf }

const validationEndpoint = endpointsFor<ValidationContext>({
  400: problem('The RDF cannot be parsed, or there is no such model'),
  413: problem('The body is too large'),
  415: problem('The media type is none of RDF'),
  422: problem('The description cannot be validated against the model'),
  429: problem('Too many validations of one client at once'),
  503: problem('The validation took too long, or too many wait'),
  default: problem('Problem (RFC 9457)'),
})

const validateToReport = validationEndpoint({
  method: 'post',
  path: '/validation/report',
  operation: 'postValidationReport',
  summary: 'Validate descriptions against a model of SHACL shapes',
  description:
    'Catalogue records are not looked at, because platforms write them for themselves. A description complies with ' +
    'DCAT-AP when the report has no result of severity violation; `sh:conforms` is true only without any result.',
  auth: anyone,
  query,
  body,
  answers: {
    200: { description: 'The report (sh:ValidationReport)', content: rdf },
    406: problem('None of the accepted media types can be served'),
  },
  handle: ({ c, signal }, context) => {
    const work = async () => {
      // The answer's format is negotiated first: without one the work would be in vain.
      answerFormat(c)
      const { report } = await validateBody(c, context)
      return answerRdf(c, toLines(reportQuads(blankNode(), report)))
    }
    return context.limiter.run(c.var.client, work, signal)
  },
})

const scores = z.object({ datasets: z.array(expectedScore) })
const validateToScore = validationEndpoint({
  method: 'post',
  path: '/validation/score',
  operation: 'postValidationScore',
  summary: 'Points that datasets would reach if they were published as they are',
  description:
    'Of at most ten datasets with an IRI. Links are not asked: up to 80 points more are given for those that work.',
  auth: anyone,
  query,
  body,
  answers: {
    200: { description: 'The points', content: { 'application/json': { schema: scores } } },
  },
  handle: ({ c, signal }, context) => {
    const work = async () => {
      const { record, report } = await validateBody(c, context)
      const isCompliant = !report.results.some(({ severity }) => severity === 'Violation')
      return { datasets: await context.expected(await readLines(record), isCompliant, signal) }
    }
    return context.limiter.run(c.var.client, work, signal)
  },
})

/** The endpoints of validation. */
export const validationEndpoints = [validateToReport, validateToScore]

/** Limits validations of each client and of all; beyond that `too-many-requests`. */
function validationLimiter(limits: ValidationAppContext['limits']): FairLimiter {
  const { validations, validationsPerClient } = limits
  const detail =
    `at most ${validationsPerClient} of one client and ${validations} of all at once ` +
    '(limits validationsPerClient and validations); wait for one to finish'
  const refusal = () => new Failure('too-many-requests', detail, { retryAfter: 1 })
  return new FairLimiter({ atOnce: validations, perClient: validationsPerClient, refusal })
}

/** Makes the app. Its endpoints are open, within narrow limits. */
export function validationApp(context: ValidationAppContext): App {
  const app = newApp({ ...context.http, name: 'validation' })
  const limiter = validationLimiter(context.limits)
  mount(app, validationEndpoints, { ...context, limiter })
  mountContract(app, {
    title: 'Validation',
    version: context.version,
    description: 'Shows how far descriptions of datasets follow DCAT-AP.',
  })
  return app
}
