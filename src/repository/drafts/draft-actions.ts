/** Endpoints that move drafts between their states, publish, withdraw and merge them, and those of the rules of catalogues. */

import { z } from '@hono/zod-openapi'
import { Failure, invalidParameter } from '../../errors.ts'
import type { AppContext } from '../../http/app.ts'
import { entityTag, precondition, tagOfText } from '../../http/conditions.ts'
import { mayAs } from '../../http/endpoint.ts'
import type { Difference } from '../../rdf/difference.ts'
import { fromLines, toLine } from '../../rdf/lines.ts'
import { dayMs } from '../../text/duration.ts'
import { requireCatalogue } from '../deleting/members.ts'
import { contract, repositoryEndpoint } from '../endpoints/contract.ts'
import { requireId } from '../endpoints/requests.ts'
import { answerDelete, answerWrite } from '../endpoints/responses.ts'
import type { RepositoryContext } from '../repository-context.ts'
import { type Rules, ruleSchema } from './catalogue-rules.ts'
import type { Draft, DraftChange } from './draft-file.ts'
import { kindOf, publishedGraph, removePublished, titlesOf } from './draft-kinds.ts'
import { patchedGraph } from './draft-writes.ts'
import {
  accessOf,
  answerDraft,
  demandRevision,
  demandRole,
  demandWritable,
  draftParams,
  inCatalogue,
  inputBody,
  nameOf,
  ofDraft,
  openDraft,
  type OpenDraft,
  readInput,
  statements,
  thrownAway,
  withKey,
} from './draft-requests.ts'
import {
  demandPublishable,
  demandPublisher,
  draftTitles,
  isAs,
  mergeDraft,
  publishDraft,
  publishRefusal,
  schedulePublication,
  writerOf,
} from './publishing.ts'

const { answers } = contract

const note = z.string().trim().max(2000)
const publish = repositoryEndpoint({
  method: 'put',
  path: '/drafts/{type}/publish/{id}',
  operation: 'putDraftsByTypePublishById',
  summary: 'Publish a draft',
  description:
    'What blocks it is answered with 422. What others published meanwhile is merged where the changes do not touch; with `Prefer: return=representation` their properties are named.',
  auth: withKey,
  params: draftParams,
  query: inCatalogue,
  answers: { ...answers.object, ...answers.replacement },
  handle: async ({ c, signal }, context) => {
    const { draft, access } = openDraft(c, context, 'reader')
    if (draft.state === 'away') throw thrownAway()
    demandRevision(c, draft)
    demandPublisher(context, access, draft)
    const { others, ...outcome } = await publishDraft(context, draft, signal)
    const kind = outcome.kind === 'unchanged' ? 'updated' : outcome.kind
    const answer = await answerWrite(c, context, { ...outcome, kind })
    if (c.req.header('Prefer')?.includes('return=representation') !== true) return answer
    const status = answer.status === 201 ? 201 : 200
    return Response.json({ others }, { status, headers: answer.headers })
  },
})

/** Throws `forbidden` where a key may not take a published record away: under `every` that needs a steward. */
function demandWithdrawal(
  c: AppContext,
  context: RepositoryContext,
  catalogue: string,
  type: string,
) {
  const access = accessOf(c)
  const isReviewed = context.drafts.rules(catalogue).rules.review === 'every'
  demandRole(access, isReviewed ? 'steward' : writerOf({ type }), catalogue)
  return access
}

/** Published record of the path. Throws `unknown-resource`, and `forbidden` where the key may not take it away. */
async function withdrawable(c: AppContext, context: RepositoryContext) {
  const kind = kindOf(context, c.req.param('type') ?? '')
  const id = requireId('id', c.req.param('id') ?? '')
  const found = await kind.find(id, c.get('signal'))
  const named = c.req.query('catalogue')
  if (!found || (named !== undefined && named !== found.catalogue))
    throw new Failure('unknown-resource', `there is no published record "${id}"`)
  const access = demandWithdrawal(c, context, found.catalogue, kind.type)
  return { kind, found, access }
}

const hide = repositoryEndpoint({
  method: 'put',
  path: '/drafts/{type}/hide/{id}',
  operation: 'putDraftsByTypeHideById',
  summary: 'Turn a published record into a draft; its address answers 410',
  auth: withKey,
  params: draftParams,
  query: inCatalogue,
  answers: answers.removal,
  handle: async ({ c, signal }, context) => {
    const { kind, found, access } = await withdrawable(c, context)
    const { drafts } = context
    const { id, originalId, catalogue } = found
    const existing = drafts.find(kind.type, id)
    const isKept = existing && existing.state !== 'away'
    const graph = isKept ? existing.graph : await publishedGraph(context, kind, found, signal)
    const mark = await removePublished(context, kind, id, signal)
    if (existing) drafts.delete(existing)
    const title = titlesOf(fromLines(graph), kind.iri(id))
    const record = { type: kind.type, id, originalId, catalogue, title, graph }
    const author = isKept ? existing.author : access.key.id
    drafts.add({ ...record, author, authorName: isKept ? existing.authorName : nameOf(access) })
    return answerDelete(c, context, { mark, catalogue })
  },
})

const withdrawalSchema = z.strictObject({
  reason: note.min(1),
  replacement: z
    .url({ protocol: /^https?$/ })
    .max(2000)
    .optional(),
})

const withdraw = repositoryEndpoint({
  method: 'post',
  ...ofDraft('/withdraw'),
  operation: 'postDraftsByTypeByIdWithdraw',
  summary: 'Withdraw a published record with a reason, and the address of what replaces it',
  body: inputBody({ reason: 'It was measured at the wrong place.' }),
  answers: answers.removal,
  handle: async ({ c, signal }, context) => {
    const { kind, found, access } = await withdrawable(c, context)
    const withdrawal = await readInput(c, withdrawalSchema)
    const record = { type: kind.type, id: found.id }
    const mark = await removePublished(context, kind, found.id, signal)
    context.drafts.noteWithdrawal(record, withdrawal, nameOf(access))
    return answerDelete(c, context, { mark, catalogue: found.catalogue })
  },
})

/** Endpoint that moves a draft to another state, with a JSON body. */
function move<Schema extends z.ZodType>(
  name: string,
  summary: string,
  schema: Schema,
  change: (
    open: OpenDraft,
    input: z.output<Schema>,
    context: RepositoryContext,
    signal: AbortSignal,
  ) => DraftChange | Promise<DraftChange>,
) {
  return repositoryEndpoint({
    method: 'post',
    ...ofDraft(`/${name}`),
    operation: `postDraftsByTypeById${name.replace(/^./, (first) => first.toUpperCase())}`,
    summary,
    query: inCatalogue,
    body: inputBody({}),
    answers: { ...answers.object, ...answers.writeRefusals },
    handle: async ({ c, signal }, context) => {
      const open = openDraft(c, context, 'writer')
      const input = await readInput(c, schema)
      demandRevision(c, open.draft)
      const changes = await change(open, input, context, signal)
      const draft = context.drafts.change(open.draft, changes)
      if (draft.state === 'scheduled') schedulePublication(context, draft)
      return answerDraft(c, context, draft)
    },
  })
}

/** Throws `conflict` unless a draft is in one of the states. */
function demandState({ state }: Draft, ...states: readonly Draft['state'][]): void {
  if (states.includes(state)) return
  throw new Failure(
    'conflict',
    `the draft is in the state "${state}"; this needs ${states.join(' or ')}`,
  )
}

const submit = move(
  'submit',
  'Send a draft to the stewards of its catalogue for review',
  z.strictObject({ note: note.optional() }),
  async ({ kind, draft, access }, input, context, signal) => {
    demandState(draft, 'draft', 'returned')
    await demandPublishable(context, kind, draft, signal)
    return { state: 'review', note: input.note || undefined, notedBy: nameOf(access) }
  },
)

const giveBack = move(
  'return',
  'Send a draft back with a note, or take the own one back',
  z.strictObject({ note: note.optional() }),
  ({ draft, access }, input) => {
    demandState(draft, 'review', 'scheduled')
    const notedBy = nameOf(access)
    if (draft.author === access.key.id)
      return { state: 'draft', publishAt: undefined, note: input.note || undefined, notedBy }
    if (!isAs(access, 'steward', draft))
      throw new Failure('forbidden', 'its author takes it back, or a steward sends it back')
    if (!input.note) throw invalidParameter('note', 'say why it is sent back')
    return { state: 'returned', publishAt: undefined, note: input.note, notedBy }
  },
)

const longestAhead = 730 * dayMs

const schedule = move(
  'schedule',
  'Publish a draft at a time',
  z.strictObject({ publishAt: z.iso.datetime({ offset: true }) }),
  async ({ kind, draft, access }, input, context, signal) => {
    demandState(draft, 'draft', 'returned', 'review', 'scheduled')
    demandPublisher(context, access, draft)
    const publishAt = Date.parse(input.publishAt)
    const ahead = publishAt - context.now().getTime()
    if (ahead <= 0 || ahead > longestAhead)
      throw invalidParameter('publishAt', 'a time in the future, at most two years away')
    await demandPublishable(context, kind, draft, signal)
    return { state: 'scheduled', publishAt }
  },
)

const restore = move(
  'restore',
  'Take back a draft that was thrown away',
  z.strictObject({}),
  ({ draft }) => {
    demandState(draft, 'away')
    return { state: 'draft' }
  },
)

const readMerge = repositoryEndpoint({
  method: 'get',
  ...ofDraft('/merge'),
  operation: 'getDraftsByTypeByIdMerge',
  summary: 'What a draft and the record that was published meanwhile changed differently',
  answers: answers.object,
  handle: async ({ c, signal }, context) => {
    const { kind, draft } = openDraft(c, context, 'writer')
    const merged = await mergeDraft(context, kind, draft, signal)
    const linesOf = ({ removed, added }: Difference) => ({
      removed: removed.map(toLine),
      added: added.map(toLine),
    })
    return {
      baseTag: merged.baseTag,
      theirs: linesOf(merged.theirs),
      mine: linesOf(merged.own),
      conflicts: merged.conflicts.map(({ subject, predicate, language, ...sides }) => {
        const [base, current, mine] = [sides.base, sides.current, sides.mine].map((quads) =>
          quads.map(toLine),
        )
        return { node: subject.value, path: predicate.value, language, base, current, mine }
      }),
    }
  },
})

const acceptMerge = repositoryEndpoint({
  method: 'post',
  ...ofDraft('/merge'),
  operation: 'postDraftsByTypeByIdMerge',
  summary: 'Begin the draft from the record that was published meanwhile, with its own changes',
  description:
    'Where both changed the same, the published values are kept but for the statements of `remove` and `add`. `baseTag` is that of the GET.',
  body: inputBody({ baseTag: 'hash', remove: [], add: [] }),
  answers: { ...answers.object, ...answers.writeRefusals },
  handle: async ({ c, signal }, context) => {
    const { kind, draft, access } = openDraft(c, context, 'writer')
    const schema = z.strictObject({ baseTag: z.string(), remove: statements, add: statements })
    const { baseTag, remove, add } = await readInput(c, schema)
    demandRevision(c, draft)
    // A draft in review is only changed by who could publish it.
    if (draft.state === 'away' || publishRefusal(context, access, draft)) demandWritable(draft)
    const merged = await mergeDraft(context, kind, draft, signal)
    if (merged.baseTag !== baseTag)
      throw new Failure('precondition-failed', 'the published record has changed once more')
    const graph = await patchedGraph(context, kind, { ...draft, ...merged }, { remove, add })
    const title = draftTitles(kind, { id: draft.id, graph })
    const { base } = merged
    const change = { base, baseTag, graph, title, changedBy: nameOf(access) }
    return answerDraft(c, context, context.drafts.change(draft, change))
  },
})

// Rules of catalogues.

const rulesPath = {
  path: '/catalogues/{catalogueId}/rules',
  params: contract.parameters.catalogue,
} as const
const ruleCatalogue = (c: AppContext) => requireId('catalogueId', c.req.param('catalogueId') ?? '')

const tagOfRules = (rules: Rules) => entityTag(hashOfRules(rules))
const hashOfRules = (rules: Rules) => tagOfText(JSON.stringify(rules))

const readRules = repositoryEndpoint({
  ...rulesPath,
  method: 'get',
  operation: 'getCataloguesByCatalogueIdRules',
  summary: 'Read the rules for what people publish in a catalogue',
  auth: mayAs('reader', ruleCatalogue),
  answers: answers.object,
  handle: async ({ c, params: { catalogueId }, signal }, context) => {
    await requireCatalogue(context, catalogueId, signal)
    const { rules, changedAt, changedBy } = context.drafts.rules(catalogueId)
    c.header('ETag', tagOfRules(rules))
    return {
      ...rules,
      revision: hashOfRules(rules),
      changedBy,
      changedAt: changedAt === undefined ? undefined : new Date(changedAt).toISOString(),
    }
  },
})

const replaceRules = repositoryEndpoint({
  ...rulesPath,
  method: 'put',
  operation: 'putCataloguesByCatalogueIdRules',
  summary: 'Replace the rules of a catalogue',
  auth: mayAs('steward', ruleCatalogue),
  body: inputBody({ review: 'new', languages: ['de', 'en'] }),
  answers: answers.update,
  handle: async ({ c, params: { catalogueId }, signal }, context) => {
    await requireCatalogue(context, catalogueId, signal)
    const rules = await readInput(c, ruleSchema)
    const { drafts } = context
    precondition(c.req.raw.headers, hashOfRules(drafts.rules(catalogueId).rules))
    drafts.setRules(catalogueId, rules, nameOf(accessOf(c)))
    c.header('ETag', tagOfRules(rules))
    return c.body(null, 204)
  },
})

/** Endpoints that publish, withdraw, move and merge drafts, and of the rules of catalogues. */
export const draftActionEndpoints = [
  publish,
  hide,
  withdraw,
  submit,
  giveBack,
  schedule,
  restore,
  readMerge,
  acceptMerge,
  readRules,
  replaceRules,
]
