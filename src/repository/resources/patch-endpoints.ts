/** Endpoints that change a dataset, a catalogue or a resource of a declared type by a difference (RDF Patch). */

import { z } from '@hono/zod-openapi'
import { Failure } from '../../errors.ts'
import type { AppContext } from '../../http/app.ts'
import { readBody } from '../../http/body.ts'
import type { Endpoint } from '../../http/endpoint.ts'
import { refuseEmptyText } from '../../http/rdf.ts'
import type { ResourceType } from '../../profile/profile.ts'
import { decode } from '../../rdf/parse.ts'
import { applyPatch, parsePatch, patchMediaType } from '../../rdf/patch.ts'
import { contract, repositoryEndpoint } from '../endpoints/contract.ts'
import {
  bodyLimits,
  expectedState,
  mayWriteCatalogue,
  mayWriteDataset,
  pathId,
} from '../endpoints/requests.ts'
import { answerWrite } from '../endpoints/responses.ts'
import type { RepositoryContext } from '../repository-context.ts'
import { mayWriteResource, typeParameter } from './declared-resources.ts'
import { editRecord, type RecordName } from './edit-record.ts'

const { answers, bodies, parameters } = contract

const isPatch = (c: AppContext) =>
  (c.req.header('Content-Type') ?? '').split(';', 1)[0]?.trim().toLowerCase() === patchMediaType

/** Applies the patch of a request to a record and answers. Labels of blank nodes are those of the answer that `If-Match` names. */
async function patch(
  c: AppContext,
  context: RepositoryContext,
  record: RecordName,
): Promise<Response> {
  if (c.req.header('If-Match') === undefined)
    throw new Failure('precondition-required', 'send If-Match with the ETag of what you have read')
  if (!isPatch(c))
    throw new Failure('unsupported-media-type', `Content-Type must be ${patchMediaType}`, {
      headers: { 'Accept-Patch': patchMediaType },
    })
  const { limits, triples } = context
  const signal = c.get('signal')
  const body = await readBody(c.req.raw, bodyLimits(limits), signal)
  const text = decode(body, c.req.header('Content-Type'))
  refuseEmptyText(text)
  // As many statements can be removed as are added.
  const lines = await parsePatch(text, { limits, maxLines: 2 * triples })
  const change = {
    precondition: expectedState(c),
    edit: (graph: Parameters<typeof applyPatch>[0]) => applyPatch(graph, lines),
  }
  return answerWrite(c, context, await editRecord(context, record, change, signal))
}

const patchDataset = repositoryEndpoint({
  method: 'patch',
  path: '/datasets/{datasetId}',
  operation: 'patchDatasetsByDatasetId',
  summary: 'Change a dataset by a difference; If-Match is required',
  auth: mayWriteDataset,
  params: parameters.dataset,
  body: bodies.patch,
  answers: answers.patch,
  handle: ({ c }, context) => patch(c, context, { kind: 'dataset', id: pathId(c, 'datasetId') }),
})

const patchCatalogue = repositoryEndpoint({
  method: 'patch',
  path: '/catalogues/{catalogueId}',
  operation: 'patchCataloguesByCatalogueId',
  summary: 'Change a catalogue by a difference; If-Match is required',
  auth: mayWriteCatalogue,
  params: parameters.catalogue,
  body: bodies.patch,
  answers: answers.patch,
  handle: ({ c }, context) =>
    patch(c, context, { kind: 'catalogue', id: pathId(c, 'catalogueId') }),
})

const patchResource = (types: readonly ResourceType[]) =>
  repositoryEndpoint({
    method: 'patch',
    path: '/customresources/{type}/{id}',
    operation: 'patchCustomresourcesByTypeById',
    summary: 'Change a resource of a declared type by a difference; If-Match is required',
    auth: mayWriteResource,
    params: z.object({ type: typeParameter(types), id: parameters.idWithSuffix }),
    body: bodies.patch,
    answers: answers.patch,
    handle: ({ c, params: { type } }, context) =>
      patch(c, context, { kind: 'resource', id: `${type}/${pathId(c, 'id')}` }),
  })

/** Endpoints of patches, for resources of these types too. */
export const patchEndpoints = (
  types: readonly ResourceType[],
): readonly Endpoint<RepositoryContext>[] => [
  patchDataset,
  patchCatalogue,
  ...(types.length === 0 ? [] : [patchResource(types)]),
]
