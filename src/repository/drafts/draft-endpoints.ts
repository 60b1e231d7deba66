/** Endpoints of drafts: lists, reading and writing as RDF or by differences, findings, links to previews. */

import { z } from '@hono/zod-openapi'
import { isFresh } from '../../http/conditions.ts'
import { anyone } from '../../http/endpoint.ts'
import { formats, negotiate } from '../../rdf/media-types.ts'
import { addVary } from '../../http/headers.ts'
import { answerRdf } from '../../http/rdf.ts'
import { cataloguesOf } from '../../http/roles.ts'
import { contract, repositoryEndpoint } from '../endpoints/contract.ts'
import { checkDraft } from './draft-check.ts'
import { draftActionEndpoints } from './draft-actions.ts'
import { create, openPublished, openVersion, patchedGraph, putDraft } from './draft-writes.ts'
import { draftOrders, draftStates, typedInput } from './draft-file.ts'
import { kindOf } from './draft-kinds.ts'
import {
  accessOf,
  answerDraft,
  demandRevision,
  demandRole,
  demandWritable,
  draftDocument,
  draftParams,
  inCatalogue,
  isLinkToken,
  inputBody,
  linkToken,
  nameOf,
  ofDraft,
  openDraft,
  readInput,
  statements,
  thrownAway,
  unknownDraft,
  withKey,
} from './draft-requests.ts'
import { draftTitles } from './publishing.ts'

const { answers, bodies } = contract

const typePath = draftParams.pick({ type: true })

const listQuery = inCatalogue.extend({
  state: z.enum(draftStates).optional(),
  q: z.string().max(200).optional().openapi({ description: 'Part of a title' }),
  sort: z.enum(draftOrders).optional().openapi({ description: 'Default: last changed first' }),
  language: z.string().max(60).optional().openapi({ description: 'Of the titles to sort by' }),
  offset: z.coerce.number().int().min(0).default(0),
  limit: z.coerce.number().int().min(1).max(500).default(100),
})

const listDrafts = repositoryEndpoint({
  method: 'get',
  path: '/drafts/{type}',
  operation: 'getDraftsByType',
  summary: 'List the drafts that the key may see, with their numbers by state',
  auth: withKey,
  params: typePath,
  query: listQuery,
  answers: answers.object,
  handle: ({ c, params, query: { catalogue, ...page } }, context) => {
    const access = accessOf(c)
    const visible = cataloguesOf(access.key.permissions, 'reader')
    const isVisible = catalogue === undefined || visible === '*' || visible.includes(catalogue)
    const catalogues = catalogue === undefined ? visible : isVisible ? [catalogue] : []
    const list = context.drafts.list({
      ...page,
      catalogues,
      type: kindOf(context, params.type).type,
    })
    const drafts = list.drafts.map((draft) => draftDocument(context, draft, access))
    return { counts: list.counts, drafts }
  },
})

const version = z.coerce.number().int().min(1).optional()

const createDraft = repositoryEndpoint({
  method: 'post',
  path: '/drafts/{type}',
  operation: 'postDraftsByType',
  summary: 'Make a draft of a new record, or with `of` the draft of a published one',
  description:
    'The id of a new record is made of its title. With `of` there is no body, and a draft that exists is answered with 200.',
  auth: withKey,
  params: typePath,
  query: inCatalogue.extend({
    of: z.string().optional().openapi({ description: 'Id of a published record' }),
    undo: version.openapi({ description: 'With `of`: the version that the draft takes back' }),
    restore: version.openapi({ description: 'With `of`: the version that the draft goes back to' }),
  }),
  body: { ...bodies.dataset, required: false },
  answers: { ...answers.object, ...answers.creation },
  handle: ({ c, params, query: { catalogue, of: published, ...step }, signal }, context) => {
    const kind = kindOf(context, params.type)
    if (published !== undefined && (step.undo ?? step.restore) !== undefined)
      return openVersion(c, context, { kind, id: published }, step)
    if (published !== undefined) return openPublished(c, context, { kind, id: published })
    return create(c, context, { kind, catalogue: catalogue ?? '' }, signal)
  },
})

/** Media types of a draft: its graph, and its state where JSON is preferred. */
const mediaTypes = [...Object.values(formats).map(({ mediaType }) => mediaType), 'application/json']

const readDraft = repositoryEndpoint({
  method: 'get',
  ...ofDraft(''),
  operation: 'getDraftsByTypeById',
  summary: 'Read a draft as RDF, or its state as JSON',
  query: inCatalogue,
  answers: answers.graph,
  handle: ({ c }, context) => {
    const { draft, kind } = openDraft(c, context, 'reader')
    if (negotiate(c.req.header('Accept'), mediaTypes) === 'application/json') {
      const isKnown = isFresh(c.req.raw.headers, String(draft.revision))
      const answer = isKnown ? c.body(null, 304) : answerDraft(c, context, draft)
      addVary(answer.headers, 'Accept')
      return answer
    }
    return answerRdf(c, draft.graph, { hash: String(draft.revision), graph: kind.iri(draft.id) })
  },
})

const replaceDraft = repositoryEndpoint({
  method: 'put',
  ...ofDraft(''),
  operation: 'putDraftsByTypeById',
  summary: 'Replace a draft, or make one with this id',
  query: inCatalogue,
  body: bodies.dataset,
  answers: answers.replacement,
  handle: ({ c, params, query: { catalogue } }, context) =>
    putDraft(c, context, { kind: kindOf(context, params.type), originalId: params.id, catalogue }),
})

const patchSchema = z.strictObject({
  remove: statements,
  add: statements,
  typed: z.array(typedInput).max(2000).optional(),
})

const patchDraft = repositoryEndpoint({
  method: 'patch',
  ...ofDraft(''),
  operation: 'patchDraftsByTypeById',
  summary: 'Change statements of a draft',
  description:
    '`remove` and `add` are statements in N-Triples with the labels of the draft; `typed` replaces the input that is no RDF.',
  query: inCatalogue,
  body: inputBody({ remove: [], add: [] }, true),
  answers: { ...answers.object, ...answers.update },
  handle: async ({ c }, context) => {
    const { kind, draft, access } = openDraft(c, context, 'writer')
    const { remove, add, typed = draft.typed } = await readInput(c, patchSchema)
    demandRevision(c, draft)
    demandWritable(draft)
    const graph = await patchedGraph(context, kind, draft, { remove, add })
    const title = draftTitles(kind, { id: draft.id, graph })
    const change = { graph, title, typed, changedBy: nameOf(access) }
    return answerDraft(c, context, context.drafts.change(draft, change))
  },
})

const deleteDraft = repositoryEndpoint({
  method: 'delete',
  ...ofDraft(''),
  operation: 'deleteDraftsByTypeById',
  summary: 'Throw a draft away; it can be restored for 30 days',
  query: inCatalogue,
  answers: { ...answers.object, ...answers.removal },
  handle: ({ c }, context) => {
    const { draft, access } = openDraft(c, context, 'writer')
    if (draft.author !== access.key.id) demandRole(access, 'steward', draft.catalogue)
    demandRevision(c, draft)
    if (draft.state === 'away') throw unknownDraft(draft.id)
    const away = { state: 'away', publishAt: undefined } as const
    return answerDraft(c, context, context.drafts.change(draft, away))
  },
})

const readFindings = repositoryEndpoint({
  method: 'get',
  ...ofDraft('/findings'),
  operation: 'getDraftsByTypeByIdFindings',
  summary: 'Findings of a draft, those that block its publication first, and its points',
  query: inCatalogue,
  answers: answers.object,
  handle: ({ c, signal }, context) => {
    const { kind, draft } = openDraft(c, context, 'reader')
    return checkDraft(context, kind, draft, signal)
  },
})

const makeLink = repositoryEndpoint({
  method: 'post',
  ...ofDraft('/links'),
  operation: 'postDraftsByTypeByIdLinks',
  summary:
    'Make the token of a link to the preview, which works for 14 days, as long as its key does',
  answers: { ...answers.object, ...answers.writeRefusals },
  handle: ({ c }, context) => {
    const { draft, access } = openDraft(c, context, 'writer')
    if (draft.state === 'away') throw thrownAway()
    const { token, ends } = linkToken(draft, access.key.id, context.now().getTime())
    return { token, ends: new Date(ends).toISOString() }
  },
})

const revokeLinks = repositoryEndpoint({
  method: 'delete',
  ...ofDraft('/links'),
  operation: 'deleteDraftsByTypeByIdLinks',
  summary: 'Revoke all links to the preview',
  answers: answers.removal,
  handle: ({ c }, context) => {
    context.drafts.revokeLinks(openDraft(c, context, 'writer').draft)
    return c.body(null, 204)
  },
})

const readShared = repositoryEndpoint({
  method: 'get',
  path: '/drafts/{type}/{id}/shared/{token}',
  operation: 'getDraftsByTypeByIdSharedByToken',
  summary: 'Read a draft by the token of a link to its preview as RDF, or its id and title as JSON',
  auth: anyone,
  params: draftParams.extend({
    token: z.string().max(1000).openapi({ example: 'mhz2k.a2V5.c2VjcmV0' }),
  }),
  answers: answers.graph,
  handle: ({ c, params }, context) => {
    const kind = kindOf(context, params.type)
    const draft = context.drafts.find(kind.type, params.id)
    if (!draft || draft.state === 'away' || !isLinkToken(context, draft, params.token))
      throw unknownDraft(params.id)
    if (negotiate(c.req.header('Accept'), mediaTypes) === 'application/json') {
      const { id, type, catalogue, title } = draft
      return c.json({ id, type, catalogue, title })
    }
    return answerRdf(c, draft.graph, { hash: String(draft.revision), graph: kind.iri(draft.id) })
  },
})

/** Endpoints of drafts. */
export const draftEndpoints = [
  listDrafts,
  createDraft,
  readDraft,
  replaceDraft,
  patchDraft,
  deleteDraft,
  readFindings,
  makeLink,
  revokeLinks,
  readShared,
  ...draftActionEndpoints,
]
