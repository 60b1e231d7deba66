/** Publication of drafts, at once or by a job at its time: who may, the merge with what others published meanwhile, the write. */

import { Failure } from '../../errors.ts'
import { isPermitted } from '../../http/api-key.ts'
import { entityTag } from '../../http/conditions.ts'
import type { Key } from '../../http/context.ts'
import type { JobKind } from '../../jobs/job.ts'
import { fromLines, toLines } from '../../rdf/lines.ts'
import { difference, merge } from '../../rdf/difference.ts'
import type { Role } from '../../http/roles.ts'
import type { RepositoryContext, WriteOutcome } from '../repository-context.ts'
import { checkDraft } from './draft-check.ts'
import type { Draft } from './draft-file.ts'
import { kindOf, publishedGraph, titlesOf, writeDraft, type DraftKind } from './draft-kinds.ts'

/** Request for a draft, as permissions see it. */
export type DraftAccess = {
  readonly key: Key
  readonly method: string
  readonly path: string
}

/** Whether a key has a role in the catalogue of a draft; drafts outside of catalogues are for administrators. */
export const isAs = (
  { key, method, path }: DraftAccess,
  role: Role,
  { catalogue }: Pick<Draft, 'catalogue'>,
): boolean => isPermitted(key, { method, path, role, catalogue: catalogue || undefined })

/** Least role that writes drafts of a type: the record of a catalogue is for its stewards. */
export const writerOf = ({ type }: Pick<Draft, 'type'>): Role =>
  type === 'catalogues' ? 'steward' : 'publisher'

/** Why a key may not publish a draft; `undefined` where it may. */
export function publishRefusal(
  { drafts }: Pick<RepositoryContext, 'drafts'>,
  access: DraftAccess,
  draft: Draft,
): 'role' | 'review' | 'own' | undefined {
  const { review } = drafts.rules(draft.catalogue).rules
  if (!isAs(access, writerOf(draft), draft)) return 'role'
  if (review === 'every' && draft.author === access.key.id && draft.type !== 'catalogues')
    return 'own'
  if (isAs(access, 'steward', draft)) return undefined
  const isOpen = review === 'none' || (review === 'new' && draft.baseTag !== undefined)
  return isOpen ? undefined : 'review'
}

const refusals = {
  role: 'the key may not publish in this catalogue',
  review: 'a steward of the catalogue looks at it first: submit it',
  own: 'in this catalogue somebody else publishes what you wrote: submit it',
}

/** Throws `forbidden` where a key may not publish a draft. */
export function demandPublisher(
  context: Pick<RepositoryContext, 'drafts'>,
  access: DraftAccess,
  draft: Draft,
): void {
  const refusal = publishRefusal(context, access, draft)
  if (refusal) throw new Failure('forbidden', refusals[refusal])
}

/** Throws `invalid-content` with what blocks the publication of a draft. */
export async function demandPublishable(
  context: RepositoryContext,
  kind: DraftKind,
  draft: Draft,
  signal: AbortSignal,
): Promise<void> {
  const { findings } = await checkDraft(context, kind, draft, signal)
  const blocking = findings.filter(({ blocks }) => blocks)
  if (blocking.length === 0) return
  const errors = blocking
    .slice(0, 50)
    .map(({ path, message }) => ({ ...(path !== undefined && { pointer: path }), detail: message }))
  const detail = `${blocking.length} findings block its publication; GET …/findings lists them`
  throw new Failure('invalid-content', detail, { errors })
}

/**
 * Merge of a draft with what is published now: the draft with its new base, what both changed differently, and what each of them
 * changed.
 */
export async function mergeDraft(
  context: RepositoryContext,
  kind: DraftKind,
  draft: Draft,
  signal: AbortSignal,
) {
  const current = await kind.find(draft.id, signal)
  if (!current || draft.baseTag === undefined) {
    const detail = current
      ? 'a record with this id was published meanwhile'
      : 'the published record was withdrawn meanwhile'
    throw new Failure('conflict', detail)
  }
  const base = await publishedGraph(context, kind, current, signal)
  const [from, now, mine] = [draft.base, base, draft.graph].map(fromLines)
  const bounds = context.canonical
  const merged = await merge(from ?? [], now ?? [], mine ?? [], bounds ? { bounds } : {})
  const { graph, conflicts, theirs, own } = merged
  return { base, baseTag: current.hash, graph: toLines(graph), conflicts, theirs, own }
}

/** Whether the published record says what the draft says: an earlier attempt got as far as the store. */
async function isPublished(
  context: RepositoryContext,
  kind: DraftKind,
  draft: Draft,
  signal: AbortSignal,
): Promise<WriteOutcome | undefined> {
  const current = await kind.find(draft.id, signal)
  if (!current) return undefined
  const graph = await publishedGraph(context, kind, current, signal)
  const [now, own] = [graph, draft.graph].map(fromLines)
  const { removed, added } = await difference(now ?? [], own ?? [], context.canonical)
  const { catalogue, hash } = current
  const isSame = removed.length === 0 && added.length === 0
  return isSame ? { kind: 'unchanged', iri: kind.iri(draft.id), catalogue, hash } : undefined
}

/** Outcome of a publication; `others` are the properties that others had changed meanwhile, which were merged. */
type Publication = WriteOutcome & { readonly others: readonly string[] }

/**
 * Checks and writes a draft, and deletes it. A draft whose record was changed meanwhile is merged where the changes do not touch.
 * Rejects with `invalid-content`, with `precondition-failed` where a decision is needed, and as the write does.
 */
export function publishDraft(
  context: RepositoryContext,
  { serial }: Pick<Draft, 'serial'>,
  signal: AbortSignal,
): Promise<Publication> {
  const { drafts } = context
  const write = (kind: DraftKind, draft: Draft) => {
    const precondition = (hash: string | undefined) => {
      if (hash !== draft.baseTag) throw new Failure('precondition-failed', changed)
    }
    return writeDraft(context, kind, { draft, precondition }, signal)
  }
  const writeMerged = async (kind: DraftKind, draft: Draft) => {
    const earlier = await isPublished(context, kind, draft, signal)
    if (earlier) return { ...earlier, others: [] }
    const { conflicts, theirs, own: _, ...merged } = await mergeDraft(context, kind, draft, signal)
    if (conflicts.length > 0)
      throw new Failure('precondition-failed', changed, {
        headers: { ETag: entityTag(merged.baseTag) },
      })
    const properties = [...theirs.removed, ...theirs.added].map(({ predicate }) => predicate.value)
    const outcome = await write(kind, { ...draft, ...merged })
    return { ...outcome, others: [...new Set(properties)] }
  }
  const work = async () => {
    const draft = drafts.get(serial)
    const kind = kindOf(context, draft.type)
    await demandPublishable(context, kind, draft, signal)
    const outcome = await write(kind, draft).then(
      (written): Publication => ({ ...written, others: [] }),
      (error: unknown) => {
        if (error instanceof Failure && error.kind === 'precondition-failed')
          return writeMerged(kind, draft)
        throw error
      },
    )
    drafts.delete(draft)
    drafts.forgetWithdrawal(draft)
    return outcome
  }
  return context.locks.run([`draft ${serial}`], work, signal)
}

const changed = 'the published record was changed meanwhile, and both changed the same: GET …/merge'

/** Titles of the graph of a draft. */
export const draftTitles = (kind: DraftKind, { id, graph }: Pick<Draft, 'id' | 'graph'>) =>
  titlesOf(fromLines(graph), kind.iri(id))

// Scheduled publication.

const jobKind = 'publish-draft'
/** Milliseconds after which a publication counts as late. */
const lateMs = 60_000

/** Submits the job that publishes a scheduled draft at its time. */
export function schedulePublication(
  { jobs }: Pick<RepositoryContext, 'jobs'>,
  { serial, publishAt }: Draft,
): void {
  jobs.submit({
    kind: jobKind,
    key: `draft ${serial}`,
    payload: { serial },
    createdBy: 'drafts',
    runAt: publishAt,
  })
}

/** Kinds of failures after which another attempt makes sense; after the others the draft is sent back. */
const passing: ReadonlySet<string> = new Set([
  'store-unavailable',
  'engine-unavailable',
  'time-limit',
  'queue-full',
  'too-many-requests',
  'store-full',
  'starting',
])

/** Makes the kind of jobs that publish scheduled drafts: what was due while nothing ran is published late. */
export const publicationJob = (context: RepositoryContext): JobKind => ({
  kind: jobKind,
  atOnce: 1,
  isCancellable: false,
  retry: { firstMs: 10_000, longestMs: 300_000 },
  run: async ({ payload }, { signal }): Promise<void> => {
    const { drafts, now, log } = context
    const serial = Number(Object(payload).serial)
    const draft = drafts.bySerial(serial)
    if (draft?.state !== 'scheduled' || draft.publishAt === undefined) return
    const lateBy = now().getTime() - draft.publishAt
    if (lateBy < 0) {
      schedulePublication(context, draft)
      return
    }
    try {
      await publishDraft(context, draft, signal)
    } catch (error) {
      if (!(error instanceof Failure) || passing.has(error.kind)) throw error
      const back = { state: 'returned', notedBy: '', publishAt: undefined } as const
      drafts.change(draft, { ...back, note: error.detail })
      log.warn({ draft: serial, kind: error.kind }, 'draft.publication-failed')
      return
    }
    if (lateBy > lateMs) log.warn({ draft: serial, lateBy }, 'draft.published-late')
  },
})
