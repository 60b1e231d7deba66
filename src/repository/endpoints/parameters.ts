/** Path and query parameters of the repository's endpoints. */

import { z } from '@hono/zod-openapi'
import { idForm } from '../../rdf/ids.ts'

const flag = z.stringbool({ truthy: ['true', '1'], falsy: ['false', '0'] })

const flagOf = (defaultValue: boolean, description: string) =>
  flag.default(defaultValue).openapi({ type: 'boolean', default: defaultValue, description })

const list = z.object({
  valueType: z
    .enum(['uriRefs', 'identifiers', 'originalIds', 'metadata'])
    .default('uriRefs')
    .openapi({ description: 'IRIs, platform ids, ids at the origin, or the resources as RDF' }),
  offset: z.coerce.number().int().min(0).optional().openapi({ description: 'Default 0' }),
  limit: z.coerce.number().int().min(1).max(5000).optional().openapi({
    description: 'Default 100; original ids of a catalogue without limit and offset: all of them',
  }),
  hydra: flagOf(true, 'With metadata: whether the answer has a paging node'),
  graphs: flagOf(
    false,
    'With metadata in TriG and N-Quads: whether each resource is in a graph of its own',
  ),
  usePagedCollection: flagOf(false, 'With metadata: the paging node of early drafts of Hydra'),
})

/** Query of lists of datasets. Other values of `resourceTypes` than Dataset give an empty list. */
const datasets = list.extend({
  resourceTypes: z
    .union([z.string(), z.array(z.string())])
    .transform((value) => [value].flat().flatMap((text) => text.split(',')))
    .optional()
    .openapi({
      type: 'array',
      items: { type: 'string' },
      description: 'Dataset or absent = all; a list without it = nothing',
    }),
})

const origin = z.object({
  originalId: z
    .string()
    .min(1)
    .max(2000)
    .regex(/^\P{Cc}*$/u, 'must not hold control characters')
    .openapi({
      // Equivalent pattern without a flag, because JSON Schema has none.
      pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]*$',
      description: 'The id of the dataset at its origin, unique in its catalogue',
      example: 'levels',
    }),
})

/** Other values are refused, so that nothing is published by mistake. */
const bulkStatus = z.object({
  publicationStatus: z.enum(['published']).optional(),
  accessLevel: z.enum(['public']).optional(),
})
const status = bulkStatus.extend({
  publicationStatus: z.enum(['published', 'draft']).optional().openapi({
    description: '`draft` writes a draft, which is published later; see /drafts',
  }),
})

const put = origin.extend({
  recordModified: z.iso.datetime({ offset: true }).optional().openapi({
    description: 'Refuse with 409 when the stored record was modified later',
  }),
  enforceUpdate: flagOf(false, 'Write even what is unchanged'),
  ...status.shape,
})

const pathId = `^${idForm}(\\.[a-z0-9]+)?$`

/** Path parameter that is only described here; `requireId` checks it, with a message of its own. */
const id = (example: string) =>
  z.string().openapi({
    description: 'When a resource is read, a suffix such as .ttl names the format of the answer',
    pattern: pathId,
    example,
  })

/** Deprecated query parameter that makes the id of the path an original id. */
const inCatalogue = z.object({
  catalogue: z.string().optional().openapi({
    deprecated: true,
    description: 'With it the id of the path is an id at the origin in this catalogue',
  }),
})

/** Parameters by kind of request; those of paths are named by their resource. */
export const repositoryParameters = {
  list,
  datasets,
  origin,
  status,
  put,
  inCatalogue,
  idWithSuffix: id('gauges'),
  catalogue: z.object({ catalogueId: id('rivers') }),
  dataset: z.object({ datasetId: id('levels') }),
  distribution: z.object({ distributionId: id('1f0c7a52-6c1e-4d53-9d2b-7f2a4b1c8e60') }),
  vocabulary: z.object({ vocabularyId: id('quality') }),
  /** Id of a dataset, or with the query parameter `catalogue` an original id, which may have any form. */
  datasetOrOrigin: z.object({
    datasetId: z.string().openapi({
      description:
        'An id of the platform, or with the parameter catalogue an id at the origin; when it is read, a suffix such as .ttl names the format of the answer',
      example: 'levels',
    }),
  }),
  putInCatalogue: put.omit({ originalId: true }).extend(inCatalogue.shape),
  bulk: z.object({
    precedence: z.enum(['identifier', 'uri']).default('identifier').openapi({
      description: 'What the original id of a dataset is taken from: its dct:identifier or its IRI',
    }),
    enforceUpdate: put.shape.enforceUpdate,
    ...bulkStatus.shape,
  }),
  datasetList: datasets.extend({
    catalogue: z
      .string()
      .optional()
      .openapi({ description: 'Only the datasets of this catalogue' }),
  }),
  historic: z.object({
    historic: z.string().optional().openapi({ description: 'Accepted and changes nothing' }),
  }),
  targetCatalogue: z.object({
    catalogue: z.string().openapi({
      description: 'The catalogue that the dataset will be in',
      example: 'rivers',
    }),
    ...status.shape,
  }),
  tombstones: z.object({
    catalogue: z.string().optional().openapi({ description: 'Only of this catalogue' }),
    offset: z.coerce.number().int().min(0).default(0),
    limit: z.coerce.number().int().min(1).max(5000).default(100),
  }),
}
