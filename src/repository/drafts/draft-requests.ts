/** Requests about drafts: who may see and change which, bodies, and answers as JSON. */

import { createHmac, timingSafeEqual } from 'node:crypto'
import { z } from '@hono/zod-openapi'
import { Failure, invalidParameter } from '../../errors.ts'
import type { AppContext } from '../../http/app.ts'
import { entityTag, precondition } from '../../http/conditions.ts'
import type { Auth } from '../../http/endpoint.ts'
import type { Role } from '../../http/roles.ts'
import { readJsonBody } from '../../pipe/pipe-text.ts'
import { dayMs } from '../../text/duration.ts'
import { canonicalPath, requireId } from '../endpoints/requests.ts'
import type { RepositoryContext } from '../repository-context.ts'
import { changedMeanwhile, type Draft, endOfDraft } from './draft-file.ts'
import { kindOf, type DraftKind } from './draft-kinds.ts'
import { type DraftAccess, isAs, publishRefusal, writerOf } from './publishing.ts'

/** Path of a draft, and the catalogue that it may name. */
export const draftParams = z.object({
  type: z.string().openapi({
    description: '`datasets`, `catalogues`, or a type that the profile declares',
    example: 'datasets',
  }),
  id: z.string().openapi({ description: 'Id of the record', example: 'levels' }),
})
export const inCatalogue = z.object({ catalogue: z.string().optional() })

/** JSON body of a request, with an example of it. */
export const inputBody = (example: object, required?: true) => ({
  ...(required && { required }),
  content: { 'application/json': { schema: { type: 'object' as const }, example } },
})

/** Statements of a request as lines of N-Triples. */
export const statements = z.array(z.string().max(1_000_000)).max(20_000).default([])

/** Any key: what it may not see is not there, so that refusals tell nothing about drafts. */
export const withKey: Auth<unknown> = { needs: 'key' }

/** Members of the endpoints of a draft, by the end of their path. */
export const ofDraft = <Path extends string>(ending: Path) =>
  ({ path: `/drafts/{type}/{id}${ending}`, auth: withKey, params: draftParams }) as const

/** Key of a request with its method and path. Throws `unauthorized` without a key. */
export function accessOf(c: AppContext): DraftAccess {
  const key = c.get('key')
  if (!key) throw new Failure('unauthorized', 'drafts need a key')
  return { key, method: c.req.method, path: canonicalPath(c.req.path) }
}

/** Name of the key for people: that of its account, else its id. */
export const nameOf = ({ key }: DraftAccess): string => key.name || key.id

/** Throws `forbidden` where a key lacks a role in a catalogue. */
export function demandRole(access: DraftAccess, role: Role, catalogue: string): void {
  if (isAs(access, role, { catalogue })) return
  const where = catalogue === '' ? '' : ` in the catalogue "${catalogue}"`
  throw new Failure('forbidden', `the key lacks the role "${role}"${where}`)
}

/** Draft of the path with its kind, for a key that may see it. */
export type OpenDraft = {
  readonly kind: DraftKind
  readonly draft: Draft
  readonly access: DraftAccess
}

/** Finds the draft of the path. Throws `unknown-resource` where the key may not see it, and `forbidden` without the role. */
export function openDraft(
  c: AppContext,
  context: RepositoryContext,
  role: Role | 'writer',
): OpenDraft {
  const kind = kindOf(context, c.req.param('type') ?? '')
  const id = requireId('id', c.req.param('id') ?? '')
  const draft = context.drafts.find(kind.type, id)
  const access = accessOf(c)
  const named = c.req.query('catalogue')
  const isThere = draft && (named === undefined || named === draft.catalogue)
  if (!isThere || !isAs(access, 'reader', draft)) throw unknownDraft(id)
  demandRole(access, role === 'writer' ? writerOf(draft) : role, draft.catalogue)
  return { kind, draft, access }
}

/** Makes the failure of a draft that does not exist, or that the key may not see. */
export const unknownDraft = (id: string) =>
  new Failure('unknown-resource', `there is no draft "${id}"`)

/** Throws `precondition-failed` unless the draft is of the revision of `If-Match`. */
export function demandRevision(c: AppContext, draft: Draft): void {
  try {
    precondition(c.req.raw.headers, String(draft.revision))
  } catch {
    throw changedMeanwhile(draft)
  }
}

/** Throws `conflict` unless a draft may be written: it is readable only while it is in review or scheduled. */
export function demandWritable({ state }: Draft): void {
  if (state === 'draft' || state === 'returned') return
  if (state === 'away') throw thrownAway()
  throw new Failure('conflict', 'the draft is in review or scheduled: take it back first')
}

/** Makes the failure of an action on a draft that was thrown away. */
export const thrownAway = () =>
  new Failure('conflict', 'the draft was thrown away: restore it first')

/** Most bytes of a JSON body: a form of 2 MB as statements. */
const bodyBytes = 8 * 2 ** 20

/** Reads a JSON body; an absent one counts as an empty object. Throws `invalid-parameter` with what is wrong. */
export async function readInput<Schema extends z.ZodType>(
  c: AppContext,
  schema: Schema,
): Promise<z.output<Schema>> {
  const parsed = schema.safeParse((await readJsonBody(c, { bytes: bodyBytes, name: '' })) ?? {})
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw invalidParameter(issue?.path.join('.') ?? '', issue?.message ?? 'the body is wrong')
}

const iso = (ms: number | undefined) => (ms === undefined ? undefined : new Date(ms).toISOString())

/** JSON of a draft, without its graph; `may` has the actions that the key may take now. */
export function draftDocument(context: RepositoryContext, draft: Draft, access: DraftAccess) {
  const { id, type, catalogue, title, state, revision, note, notedBy, baseTag, typed, score } =
    draft
  const { author: authorId, authorName: author, publishAt, madeAt, changedAt, changedBy } = draft
  return {
    id,
    type,
    catalogue,
    title,
    state,
    revision,
    author,
    authorId,
    note,
    notedBy,
    publishAt: iso(publishAt),
    baseTag,
    typed,
    score,
    madeAt: iso(madeAt),
    changedAt: iso(changedAt),
    changedBy,
    ends: iso(endOfDraft(draft)),
    may: actionsOf(context, draft, access),
  }
}

/** Actions that a key may take on a draft in its present state. */
function actionsOf(
  context: RepositoryContext,
  draft: Draft,
  access: DraftAccess,
): readonly string[] {
  const { state, author } = draft
  const [isWriter, isSteward] = [writerOf(draft), 'steward' as const].map((role) =>
    isAs(access, role, draft),
  )
  if (!isWriter) return []
  if (state === 'away') return ['restore']
  const isHeld = state === 'review' || state === 'scheduled'
  const refusal = publishRefusal(context, access, draft)
  const isOwn = author === access.key.id
  return [
    ...(isHeld ? [] : ['write']),
    ...(isOwn || isSteward ? ['delete'] : []),
    ...(refusal ? [] : ['publish', 'schedule']),
    ...(refusal && !isHeld ? ['submit'] : []),
    ...(isHeld && (isOwn || isSteward) ? ['return'] : []),
    'links',
  ]
}

/** Answers a draft as JSON with its revision as entity tag. */
export function answerDraft(
  c: AppContext,
  context: RepositoryContext,
  draft: Draft,
  status: 200 | 201 = 200,
): Response {
  c.header('ETag', entityTag(String(draft.revision)))
  if (status === 201) c.header('Location', `${c.get('address')}/drafts/${draft.type}/${draft.id}`)
  return c.json(draftDocument(context, draft, accessOf(c)), status)
}

// Links to previews.

const linkMs = 14 * dayMs

const signatureOf = ({ serial, links }: Draft, ends: number, maker: string) =>
  createHmac('sha256', links).update(`${serial} ${ends} ${maker}`).digest()

/**
 * Makes the token of a link to the preview of a draft: end, id of the key that made it, and signature. It works for 14 days, until
 * it is revoked, or until that key may not see the draft any more.
 */
export function linkToken(
  draft: Draft,
  maker: string,
  now: number,
): { readonly token: string; readonly ends: number } {
  const ends = now + linkMs
  const parts = [Buffer.from(maker), signatureOf(draft, ends, maker)]
  return {
    token: [ends.toString(36), ...parts.map((part) => part.toString('base64url'))].join('.'),
    ends,
  }
}

/** Whether a token is that of a link to a draft, and still works. */
export function isLinkToken(
  { keys, now }: Pick<RepositoryContext, 'keys' | 'now'>,
  draft: Draft,
  token: string,
): boolean {
  const [time = '', name = '', signature = ''] = token.split('.')
  const ends = Number.parseInt(time, 36)
  if (!(ends > now().getTime())) return false
  const maker = Buffer.from(name, 'base64url').toString()
  const [sent, right] = [Buffer.from(signature, 'base64url'), signatureOf(draft, ends, maker)]
  if (sent.length !== right.length || !timingSafeEqual(sent, right)) return false
  const key = keys.active(maker)
  const path = `/drafts/${draft.type}/${draft.id}`
  return key !== undefined && isAs({ key, method: 'GET', path }, 'reader', draft)
}
