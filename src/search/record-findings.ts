/**
 * The endpoints that list the findings of a record: values of its RDF that do not fit their fields, so that its document does not show
 * them; and the one that shows the document of a record that is not stored. Each request projects the record once more; nothing is
 * stored.
 */

import { z } from '@hono/zod-openapi'
import { Failure, invalidParameter } from '../errors.ts'
import type { AppContext } from '../http/context.ts'
import { anyone, mayAs } from '../http/endpoint.ts'
import { largeWork } from '../http/long-answers.ts'
import { readRdfText, refuseEmptyText } from '../http/rdf.ts'
import type { ResourceType } from '../profile/profile.ts'
import { formats } from '../rdf/media-types.ts'
import type { IndexName } from '../search-index/index-settings.ts'
import { truncateLists } from '../search-index/truncate-lists.ts'
import { translateRecord } from './facet-labels.ts'
import { searchParameters } from './request/search-parameters.ts'
import { maxEntries, withCatalogue } from './record-routes.ts'
import {
  jsonAnswers,
  recordAnswer,
  recordId,
  searchEndpoint,
  stateAnswers,
} from './search-answers.ts'
import type { SearchAppContext, SearchServiceContext } from './search-service-context.ts'

/** Maximum number of findings in one answer; `count` is the number of all. */
const maxFindings = 500

const reasons: Readonly<Record<string, string>> = {
  'not-an-iri': 'must be an IRI',
  'not-a-literal': 'must be a literal',
  'bad-date': 'is not a date or time',
  'bad-range': 'begins after its end',
  'bad-number': 'is not a number',
  'bad-boolean': 'is neither true nor false',
  'bad-geometry': 'is not a geometry in WKT, GeoJSON or GML',
  'unknown-crs': 'is an unknown coordinate system, so that the geometry is left out',
  'bad-media-type': 'is not a media type',
  'unknown-concept': 'is in none of the vocabularies that this platform has',
  'same-language-twice': 'is the second text in its language, and only the first is shown',
  'too-many-values': 'is one value too many: the field has room for one',
  'too-deep': 'is nested deeper than the profile describes',
  'missing-mandatory': 'is mandatory and missing',
}

const finding = z.object({
  field: z.string().openapi({ description: 'Dotted path in the record' }),
  property: z.string().optional().openapi({ description: 'IRI of the property' }),
  value: z.string().openapi({ description: 'At most 200 characters' }),
  reason: z.enum(Object.keys(reasons)),
  detail: z.string().openapi({ description: 'What is wrong with the value, in English' }),
})

const found = z.object({
  count: z.int().openapi({ description: 'Of all findings' }),
  findings: z.array(finding).max(maxFindings),
})

type Findings = NonNullable<Awaited<ReturnType<SearchAppContext['findings']>>>

/** Number of the findings, and the first ones in words. */
const listed = (findings: Findings) => ({
  count: findings.length,
  findings: findings.slice(0, maxFindings).map((finding) => ({
    ...finding,
    detail: `${finding.property ?? finding.field} ${reasons[finding.reason] ?? finding.reason}`,
  })),
})

/** Endpoints of findings, one for each kind of record of the profile. */
export function findingsEndpoints(types: readonly ResourceType[]) {
  const answers = stateAnswers(
    'Values of the record that it does not show, and why',
    z.object({ result: found }),
  )
  const kinds = [
    'dataset',
    'catalogue',
    ...(types.length > 0 ? ['resource' as const] : []),
  ] as const
  return kinds.map((kind) => {
    const isTyped = kind === 'resource'
    const readFindings = async (c: AppContext, { findings }: SearchServiceContext) => {
      const [type, id] = [c.req.param('type') ?? kind, c.req.param('id') ?? '']
      const index = isTyped ? (`resource_${type}` as const) : kind
      const all = await largeWork(c, () => findings(index, id, c.var.signal))
      if (!all) throw new Failure(`unknown-${kind}`, `there is no ${type} ${id}`)
      return recordAnswer(c, { text: JSON.stringify(listed(all)) })
    }
    return searchEndpoint({
      method: 'get',
      path: `/${kind}s/${isTyped ? '{type}/' : ''}{id}/findings`,
      operation: `get${{ dataset: 'Datasets', catalogue: 'Catalogues', resource: 'ResourcesByType' }[kind]}ByIdFindings`,
      summary: `Values that are left out of the ${kind}`,
      auth: anyone,
      params: z.object({ ...(isTyped && { type: z.string() }), id: recordId }),
      answers,
      // Projecting a record costs more than reading it, so the entity tag is checked first.
      handle: ({ c }, context) => context.withEntityTag(c, () => readFindings(c, context)),
    })
  })
}

/** Most bytes of the RDF of a preview, and the milliseconds for it. */
const [previewBytes, previewMs] = [16 * 2 ** 20, 20_000]

const previewQuery = z.object({
  type: z
    .string()
    .default('datasets')
    .openapi({ description: '`datasets`, `catalogues`, or a type that the profile declares' }),
  id: recordId,
  catalogue: recordId.optional(),
  locale: searchParameters.shape.locale,
  most: maxEntries,
})

/** Index of a type of records. Throws `invalid-parameter`. */
function indexOf(type: string, resources: readonly ResourceType[]): IndexName {
  if (type === 'datasets') return 'dataset'
  if (type === 'catalogues') return 'catalogue'
  if (resources.some(({ id }) => id === type)) return `resource_${type}`
  throw invalidParameter('type', 'previews are of datasets, catalogues and types of the profile')
}

const example = `<> a <http://www.w3.org/ns/dcat#Dataset> ; <http://purl.org/dc/terms/title> "Levels"@en .`

/** Endpoint that shows the document of a record that is not stored. */
export const previewEndpoint = searchEndpoint({
  method: 'post',
  path: '/preview',
  operation: 'postPreview',
  summary:
    'Show the document that RDF would become, and the values that are left out of it; nothing is stored',
  description: 'For those who may see drafts in the catalogue. `<>` in the RDF is the record.',
  auth: mayAs('reader', (c) => c.req.query('catalogue')),
  query: previewQuery,
  body: {
    required: true,
    content: Object.fromEntries(
      Object.values(formats).map(({ mediaType }) => [
        mediaType,
        { schema: { type: 'string' as const }, ...(mediaType === 'text/turtle' && { example }) },
      ]),
    ),
  },
  answers: jsonAnswers(
    'The document as that of a stored record',
    z.object({ result: found.extend({ record: z.looseObject({}) }) }),
  ),
  handle: async ({ c, query, signal }, { preview, profile, limits, index: searchIndex }) => {
    const { type, id, catalogue = '', locale, most } = query
    const index = indexOf(type, profile.resources)
    // The request writes nothing, so that it is no activity.
    c.set('write', undefined)
    c.get('deadline').extend(previewMs)
    const bytes = Math.min(limits.bodyBytes, previewBytes)
    const { format, text } = await readRdfText(c, {
      bytes,
      name: 'bodyBytes, at most 16 MB for a preview,',
    })
    refuseEmptyText(text)
    const shown = await largeWork(c, () => preview({ index, id, catalogue, text, format }, signal))
    if (!shown)
      throw new Failure(
        'conflict',
        `the catalogue "${catalogue}" is hidden or absent, and so would the record be`,
      )
    const truncated = truncateLists(JSON.stringify(shown.record), most)
    const record = { text: await withCatalogue(searchIndex, truncated, signal) }
    const translated = await translateRecord(record, locale)
    return c.json({ result: { record: JSON.parse(translated.text), ...listed(shown.findings) } })
  },
})
