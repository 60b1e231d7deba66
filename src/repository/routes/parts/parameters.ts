/** The parameters of the repository's routes. */

import { z } from '@hono/zod-openapi'
import { idForm } from '../../../rdf/ids.ts'

const flag = z.stringbool({ truthy: ['true', '1'], falsy: ['false', '0'] })

const flagOf = (standard: boolean, description: string) =>
  flag.default(standard).openapi({ type: 'boolean', default: standard, description })

export const list = z.object({
  valueType: z
    .enum(['uriRefs', 'identifiers', 'originalIds', 'metadata'])
    .default('uriRefs')
    .openapi({ description: 'IRIs, platform ids, ids at the origin, or the resources as RDF' }),
  offset: z.coerce.number().int().min(0).optional().openapi({ description: 'Default 0' }),
  limit: z.coerce.number().int().min(1).max(5000).optional().openapi({
    description: 'Default 100; original ids of a catalogue without limit and offset: all of them',
  }),
  hydra: flagOf(true, 'With metadata: whether the answer has a paging node'),
  usePagedCollection: flagOf(false, 'With metadata: the paging node of early drafts of Hydra'),
})

/** Lists of datasets: another kind of resources than datasets is an empty list. */
export const datasets = list.extend({
  resourceTypes: z
    .union([z.string(), z.array(z.string())])
    .transform((given) => [given].flat().flatMap((types) => types.split(',')))
    .optional()
    .openapi({
      type: 'array',
      items: { type: 'string' },
      description: 'Dataset or absent = all; a list without it = nothing',
    }),
})

export const origin = z.object({
  originalId: z
    .string()
    .min(1)
    .max(2000)
    .regex(/^\P{Cc}*$/u, 'must not hold control characters')
    .openapi({
      // The same without a flag: JSON Schema patterns have none.
      pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]*$',
      description: 'The id of the dataset at its origin, unique in its catalogue',
      example: 'levels',
    }),
})

/** Drafts are not kept: what asks for anything but to be published is refused, never published in silence. */
export const status = z.object({
  publicationStatus: z.enum(['published']).optional(),
  accessLevel: z.enum(['public']).optional(),
})

export const put = origin.extend({
  recordModified: z.iso.datetime({ offset: true }).optional().openapi({
    description: 'Refuse with 409 when the stored record was modified later',
  }),
  enforceUpdate: flagOf(false, 'Write even what is unchanged'),
  ...status.shape,
})

export const bulk = z.object({
  precedence: z.enum(['identifier', 'uri']).default('identifier').openapi({
    description: 'What the original id of a dataset is taken from: its dct:identifier or its IRI',
  }),
  enforceUpdate: put.shape.enforceUpdate,
  ...status.shape,
})

/** Only told, not checked: what is no id is told in words of its own. */
const id = (example?: string) =>
  z.string().openapi({
    description: 'When a resource is read, a suffix such as .ttl names the format of the answer',
    pattern: pathId,
    ...(example !== undefined && { example }),
  })

export const pathId = `^${idForm}(\\.[a-z0-9]+)?$`

export const catalogue = z.object({ catalogueId: id('rivers') })
export const dataset = z.object({ datasetId: id('levels') })
/** With the parameter `catalogue` the id of the path is one of the origin, which has no form. */
export const datasetOrOrigin = z.object({
  datasetId: z.string().openapi({
    description:
      'An id of the platform, or with the parameter catalogue an id at the origin; when it is read, a suffix such as .ttl names the format of the answer',
    example: 'levels',
  }),
})
export const distribution = z.object({ distributionId: id() })
export const vocabulary = z.object({ vocabularyId: id('quality') })

export const datasetList = datasets.extend({
  catalogue: z.string().optional().openapi({ description: 'Only the datasets of this catalogue' }),
})

export const historic = z.object({
  historic: z.string().optional().openapi({ description: 'Accepted and changes nothing' }),
})

/** The older way to name a dataset by its id at the origin. */
export const inCatalogue = z.object({
  catalogue: z.string().optional().openapi({
    deprecated: true,
    description: 'With it the id of the path is an id at the origin in this catalogue',
  }),
})

export const putInCatalogue = put.omit({ originalId: true }).extend(inCatalogue.shape)

export const into = z.object({
  catalogue: z.string().openapi({
    description: 'The catalogue that the dataset will be in',
    example: 'rivers',
  }),
  ...status.shape,
})

export const tombstones = z.object({
  catalogue: z.string().optional().openapi({ description: 'Only of this catalogue' }),
  offset: z.coerce.number().int().min(0).default(0),
  limit: z.coerce.number().int().min(1).max(5000).default(100),
})
