/**
 * Endpoints of accounts: administrators list, invite, change and revoke people and programs; each holder of a key reads and renews
 * the own one; people accept invitations.
 */

import { z } from '@hono/zod-openapi'
import { Failure } from '../../errors.ts'
import { type Account, accountKinds, type Accounts, accountStates } from '../../http/accounts.ts'
import {
  type ApiKeys,
  isPermission,
  permissionForms,
  type WrongKeyCounter,
} from '../../http/api-key.ts'
import type { AppContext, Key } from '../../http/context.ts'
import { anyone, type Auth, endpointsFor, mayAs } from '../../http/endpoint.ts'
import { invalidRequest, problem } from '../../http/problem.ts'
import { readJsonBody } from '../../pipe/pipe-text.ts'

/** Dependencies of the endpoints. */
type AccountServices = {
  readonly keys: ApiKeys
  readonly accounts: Accounts
  /** Counts wrong tokens of invitations by client. */
  readonly wrongTokens: WrongKeyCounter
}

const accountEndpoint = endpointsFor<AccountServices>({
  400: problem('A parameter or the body is wrong'),
  408: problem('The body did not arrive in time'),
  413: problem('The body is longer than a limit'),
  414: problem('The address is longer than a limit'),
  415: problem('The media type or the encoding of the body is not supported'),
  429: problem('Too many wrong keys or tokens'),
  431: problem('The header is longer than a limit'),
  503: problem('The time limit is reached'),
  default: problem(),
})

const mayAdminister: Auth<AccountServices> = mayAs('administrator', () => undefined)
const ownKey: Auth<AccountServices> = { needs: 'key' }

const instant = z.iso.datetime()
const permissions = z
  .array(z.string().max(1000).refine(isPermission, `must be ${permissionForms}`))
  .max(200)
/** One line without controls and without marks that turn its direction. */
const name = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .refine(
    (text) => /^[^\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]*$/u.test(text),
    'must be one line of text',
  )
const mail = z.union([z.email().max(200), z.literal('')])

const accountSchema = z
  .object({
    id: z.string(),
    kind: z.enum([...accountKinds, 'configured']).describe('`user` is a person of the provider'),
    name: z.string(),
    mail: z.string(),
    permissions: z.array(z.string()),
    state: z.enum(accountStates),
    prefix: z.string().optional().describe('First characters of the key'),
    madeBy: z.string(),
    madeAt: instant.optional(),
    ends: instant.optional(),
    lastUsed: instant.optional().describe('At most an hour old'),
    invitedUntil: instant.optional(),
  })
  .openapi('Account')
const newKeySchema = z.object({ account: accountSchema, key: z.string() }).openapi('NewKey')
const factsSchema = z.strictObject({
  kind: z.enum(['person', 'program']),
  name,
  mail: mail.default(''),
  permissions,
  ends: instant.optional(),
})
const changeSchema = z.strictObject({
  name: name.optional(),
  mail: mail.optional(),
  permissions: permissions.optional(),
  ends: instant.optional(),
  isBlocked: z.literal(false).optional(),
})
const tokenSchema = z.strictObject({ token: z.string().max(200) })

const isoOf = (ms: number | undefined) =>
  ms === undefined ? undefined : new Date(ms).toISOString()

/** JSON of an account, with times in ISO 8601. */
const documentOf = ({ madeAt, ends, lastUsed, invitedUntil, ...account }: Account) => ({
  ...account,
  madeAt: isoOf(madeAt),
  ends: isoOf(ends),
  lastUsed: isoOf(lastUsed),
  invitedUntil: isoOf(invitedUntil),
})

/** JSON of a configured key, in the form of an account. */
const configuredDocument = ({ id, permissions: granted }: Key) => ({
  id,
  kind: 'configured' as const,
  name: id,
  mail: '',
  permissions: granted,
  state: 'active' as const,
  prefix: id,
  madeBy: '',
})

/** Reads the body by a schema. Throws `invalid-parameter` with what is wrong. */
async function bodyOf<Schema extends z.ZodType>(
  c: AppContext,
  schema: Schema,
): Promise<z.output<Schema>> {
  const sent = await readJsonBody(c, { bytes: 65_536 })
  const parsed = schema.safeParse(sent)
  if (parsed.success) return parsed.data
  throw invalidRequest(parsed.error.issues, 'json', sent)
}

const instantOf = (text: string | undefined) => (text === undefined ? undefined : Date.parse(text))

/** Name of the caller for the list, or the id of a configured key. */
const callerOf = (c: AppContext): string => {
  const key = c.get('key')
  return key?.name ?? key?.id ?? ''
}

const answer = (description: string, schema: z.ZodType) => ({
  description,
  content: { 'application/json': { schema } },
})

/** Body in the contract: without a zod schema, because the handler reads it. */
const body = (schema: z.ZodType, example: object) => {
  const jsonSchema: object = z.toJSONSchema(schema, { io: 'input' })
  return { required: true, content: { 'application/json': { schema: jsonSchema, example } } }
}
const secretHeaders = { 'Cache-Control': 'no-store' }
const path = z.object({
  accountId: z.string().max(100).openapi({ example: 'person-5f0c2a9b1d3e4f60' }),
})
const notFound = { 404: problem('No such account') }
const conflict = { 409: problem('The last administrator, or an account of the provider') }
const person = { kind: 'person', name: 'Anna Berger', permissions: ['publisher:rivers'] }

const listAccounts = accountEndpoint({
  method: 'get',
  path: '/accounts',
  operation: 'getAccounts',
  summary:
    'List people and programs, newest first; the configured keys follow those of the last page',
  auth: mayAdminister,
  query: z.object({
    limit: z.coerce.number().int().min(1).max(1000).default(100),
    offset: z.coerce.number().int().min(0).max(1_000_000).default(0),
  }),
  answers: { 200: answer('Accounts', z.array(accountSchema)) },
  handle: ({ query }, { accounts, keys }) => {
    const page = accounts.list(query).map(documentOf)
    return page.length < query.limit ? [...page, ...keys.list().map(configuredDocument)] : page
  },
})

const addAccount = accountEndpoint({
  method: 'post',
  path: '/accounts',
  operation: 'postAccounts',
  summary: 'Invite a person, or make the key of a program',
  description:
    'The token of an invitation works once, for 7 days; neither it nor a key is shown again. `ends` is in a year by default, and at most in two.',
  auth: mayAdminister,
  body: body(factsSchema, person),
  answers: {
    201: answer(
      'The token of the invitation of a person, or the key of a program',
      z.object({
        account: accountSchema,
        token: z.string().optional(),
        key: z.string().optional(),
      }),
    ),
    409: problem('There are too many accounts'),
  },
  handle: async ({ c }, { accounts }) => {
    const { kind, ends, ...rest } = await bodyOf(c, factsSchema)
    const facts = { ...rest, ends: instantOf(ends) }
    const made =
      kind === 'person'
        ? accounts.invite(facts, callerOf(c))
        : accounts.addProgram(facts, callerOf(c))
    return c.json({ ...made, account: documentOf(made.account) }, 201, secretHeaders)
  },
})

const changeAccount = accountEndpoint({
  method: 'patch',
  path: '/accounts/{accountId}',
  operation: 'patchAccountsByAccountId',
  summary:
    'Change a person or a program; `isBlocked: false` permits a person of the provider again',
  auth: mayAdminister,
  params: path,
  body: body(changeSchema, { permissions: ['steward:rivers'] }),
  answers: { 200: answer('The account', accountSchema), ...notFound, ...conflict },
  handle: async ({ c, params: { accountId } }, { accounts }) => {
    const { isBlocked, ends, ...change } = await bodyOf(c, changeSchema)
    if (isBlocked === false) return documentOf(accounts.unblock(accountId))
    return documentOf(accounts.change(accountId, { ...change, ends: instantOf(ends) }))
  },
})

const revokeAccount = accountEndpoint({
  method: 'delete',
  path: '/accounts/{accountId}',
  operation: 'deleteAccountsByAccountId',
  summary:
    'Revoke the keys, sessions and invitation of a person or a program, from the next request on; block a person of the provider',
  auth: mayAdminister,
  params: path,
  answers: { 204: { description: 'Revoked' }, ...notFound, ...conflict },
  handle: ({ c, params: { accountId } }, { accounts }) => {
    accounts.revoke(accountId)
    return c.body(null, 204)
  },
})

const readOwn = accountEndpoint({
  method: 'get',
  path: '/account',
  operation: 'getAccount',
  tag: 'accounts',
  summary: 'The account of the key',
  auth: ownKey,
  answers: { 200: answer('The account', accountSchema) },
  handle: ({ c }, { accounts }) => {
    const key = requireKey(c)
    const account = accounts.find(key.id)
    return account ? documentOf(account) : configuredDocument(key)
  },
})

const renewOwn = accountEndpoint({
  method: 'post',
  path: '/account/key',
  operation: 'postAccountKey',
  tag: 'accounts',
  summary: 'Make a new key for the own account; the present one works for 7 more days',
  auth: ownKey,
  answers: {
    201: answer(
      'The new key, which is not shown again',
      newKeySchema.extend({ oldUntil: instant }),
    ),
    409: problem('A configured key, or an account of the provider'),
  },
  handle: ({ c }, { accounts }) => {
    const { id } = requireKey(c)
    if (!accounts.find(id))
      throw new Failure('conflict', 'this key is changed in the configuration')
    const { key, account, oldUntil } = accounts.renew(id)
    const renewed = { key, account: documentOf(account), oldUntil: isoOf(oldUntil) }
    return c.json(renewed, 201, secretHeaders)
  },
})

const acceptInvitation = accountEndpoint({
  method: 'post',
  path: '/invitations',
  operation: 'postInvitations',
  tag: 'accounts',
  summary: 'Accept an invitation: makes the key, once',
  auth: anyone,
  body: body(tokenSchema, { token: 'x'.repeat(43) }),
  answers: {
    201: answer('The key, which is not shown again', newKeySchema),
    404: problem('No such invitation: it is wrong, was used, or is older than 7 days'),
  },
  handle: async ({ c }, { accounts, wrongTokens }) => {
    const { token } = await bodyOf(c, tokenSchema)
    const client = c.get('client')
    const retryAfter = wrongTokens.secondsBlocked(client)
    if (retryAfter !== undefined)
      throw new Failure('too-many-requests', 'too many wrong invitations', { retryAfter })
    try {
      const { key, account } = accounts.accept(token)
      return c.json({ key, account: documentOf(account) }, 201, secretHeaders)
    } catch (error) {
      if (error instanceof Failure && error.kind === 'unknown-resource') wrongTokens.count(client)
      throw error
    }
  },
})

function requireKey(c: AppContext): Key {
  const key = c.get('key')
  if (!key) throw new Error('mounted without keys')
  return key
}

/** All endpoints of accounts. */
export const accountEndpoints = [
  listAccounts,
  addAccount,
  readOwn,
  renewOwn,
  changeAccount,
  revokeAccount,
  acceptInvitation,
]
