/** Who may do what with a draft: each call × key × state, as `reference/publishing` 1 and 5 have it, and as the answer itself says. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { prefixes, repository } from '../support/repository.ts'

/** Permissions of each key; the author makes the drafts. */
const keys = {
  'a-reader': ['reader:water'],
  'the-author': ['publisher:water'],
  'a-publisher': ['publisher:water'],
  'a-steward': ['steward:water'],
  'an-owner': ['water'],
  'an-administrator': ['*'],
  'a-steward-of-parks': ['steward:parks'],
  'a-program': ['GET /datasets/*'],
} as const
type KeyName = keyof typeof keys
const keyNames = Object.keys(keys) as KeyName[]

const states = ['draft', 'returned', 'review', 'scheduled', 'away'] as const
type State = (typeof states)[number]

let repo: Awaited<ReturnType<typeof repository>>
beforeAll(async () => {
  repo = await repository({ keys })
  await repo.putCatalogue('water')
  await repo.putCatalogue('parks')
})
afterAll(() => repo.close())

type Call = {
  readonly method: string
  readonly path: string
  readonly body?: string | object
}

async function send(key: KeyName | undefined, { method, path, body }: Call): Promise<Response> {
  const isJson = typeof body === 'object'
  const payload = isJson ? JSON.stringify(body) : body
  return repo.app.request(path, {
    method,
    headers: {
      Accept: 'application/json',
      ...(key && { 'X-API-Key': key }),
      ...(payload !== undefined && { 'Content-Type': isJson ? 'application/json' : 'text/turtle' }),
    },
    ...(payload !== undefined && { body: payload }),
  })
}

async function done(key: KeyName, call: Call): Promise<Record<string, unknown>> {
  const answer = await send(key, call)
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${call.method} ${call.path}: ${answer.status} ${text}`)
  return text === '' ? {} : (JSON.parse(text) as Record<string, unknown>)
}

const turtle = (title: string) => `${prefixes}<> a dcat:Dataset ; dct:title "${title}"@en .`
const post = (id: string, name: string, body: object = {}): Call => ({
  method: 'POST',
  path: `/drafts/datasets/${id}/${name}`,
  body,
})
const publishAt = '2027-01-01T08:00:00Z'

let count = 0
/** Id of a new draft of the author in a state. */
async function draftIn(state: State): Promise<string> {
  count += 1
  const path = '/drafts/datasets?catalogue=water'
  const made = await done('the-author', { method: 'POST', path, body: turtle(`Draft ${count}`) })
  const id = String(made['id'])
  const own = `/drafts/datasets/${id}`
  if (state === 'review' || state === 'returned') await done('the-author', post(id, 'submit'))
  if (state === 'returned') await done('a-steward', post(id, 'return', { note: 'Say where.' }))
  if (state === 'scheduled') await done('a-steward', post(id, 'schedule', { publishAt }))
  if (state === 'away') await done('the-author', { method: 'DELETE', path: own })
  return id
}

/** Calls by the name of their action, each with its request. */
const calls = {
  read: (id) => ({ method: 'GET', path: `/drafts/datasets/${id}` }),
  findings: (id) => ({ method: 'GET', path: `/drafts/datasets/${id}/findings` }),
  replace: (id) => ({ method: 'PUT', path: `/drafts/datasets/${id}`, body: turtle('Other') }),
  write: (id) => ({ method: 'PATCH', path: `/drafts/datasets/${id}`, body: {} }),
  delete: (id) => ({ method: 'DELETE', path: `/drafts/datasets/${id}` }),
  submit: (id) => post(id, 'submit'),
  return: (id) => post(id, 'return', { note: 'Say more.' }),
  schedule: (id) => post(id, 'schedule', { publishAt }),
  restore: (id) => post(id, 'restore'),
  publish: (id) => ({ method: 'PUT', path: `/drafts/datasets/publish/${id}` }),
  links: (id) => post(id, 'links'),
  revoke: (id) => ({ method: 'DELETE', path: `/drafts/datasets/${id}/links` }),
  merge: (id) => ({ method: 'GET', path: `/drafts/datasets/${id}/merge` }),
} satisfies Readonly<Record<string, (id: string) => Call>>
type Action = keyof typeof calls
const actions = Object.keys(calls) as Action[]

const [isHeld, isOpen] = [
  (state: State) => state === 'review' || state === 'scheduled',
  (state: State) => state === 'draft' || state === 'returned',
]
const stewards: readonly KeyName[] = ['a-steward', 'an-owner', 'an-administrator']
const writers: readonly KeyName[] = ['the-author', 'a-publisher', ...stewards]
const seers: readonly KeyName[] = ['a-reader', ...writers]

/** Status class of an answer: 200 also for 201 and 204. In the catalogue of the tests new records are reviewed. */
function expected(action: Action, key: KeyName, state: State): number {
  // PUT of an id that is free asks for the catalogue.
  if (!seers.includes(key)) return action === 'replace' ? 400 : 404
  if (action === 'read' || action === 'findings') return 200
  if (action === 'publish' && state === 'away') return 409
  if (!writers.includes(key)) return 403
  const isSteward = stewards.includes(key)
  switch (action) {
    case 'replace':
    case 'write':
      return isOpen(state) ? 200 : 409
    case 'delete':
      return !isSteward && key !== 'the-author' ? 403 : state === 'away' ? 404 : 200
    case 'submit':
      return isOpen(state) ? 200 : 409
    case 'return':
      return !isHeld(state) ? 409 : isSteward || key === 'the-author' ? 200 : 403
    case 'schedule':
      return state === 'away' ? 409 : isSteward ? 200 : 403
    case 'restore':
      return state === 'away' ? 200 : 409
    case 'publish':
      return isSteward ? 200 : 403
    case 'links':
      return state === 'away' ? 409 : 200
    case 'revoke':
      return 200
    default:
      return 409
  }
}

const classOf = ({ status, ok }: Response) => (ok ? 200 : status)

describe.each(actions)('%s', (action) => {
  it.each(states)('of a draft in the state "%s" is for its roles alone', async (state) => {
    const answers = await Promise.all(
      keyNames.map(async (key) => {
        const id = await draftIn(state)
        return [key, classOf(await send(key, calls[action](id)))]
      }),
    )
    expect(answers).toEqual(keyNames.map((key) => [key, expected(action, key, state)]))
  })

  it('needs a key', async () => {
    const id = await draftIn('draft')
    expect((await send(undefined, calls[action](id))).status).toBe(401)
  })

  it('is not there for who guesses an id, and says the same as of a draft of others', async () => {
    const [own, guessed] = [await draftIn('draft'), 'no-such-draft']
    const [other, missing] = await Promise.all(
      [own, guessed].map(async (id) => {
        const answer = await send('a-steward-of-parks', calls[action](id))
        return [answer.status, (await answer.text()).replaceAll(id, '…')]
      }),
    )
    expect(other).toEqual(missing)
  })
})

/** Actions that an answer names; what the others are is said by the state and the role alone. */
const named: readonly Action[] = [
  'write',
  'delete',
  'submit',
  'return',
  'schedule',
  'restore',
  'publish',
  'links',
]

it.each(states)('what an answer names in the state "%s" is what the key may do', async (state) => {
  const faults: string[] = []
  for (const key of seers) {
    const { may } = await done(key, calls.read(await draftIn(state)))
    for (const action of named) {
      const isNamed = Array.isArray(may) && may.includes(action)
      const works = (await send(key, calls[action](await draftIn(state)))).ok
      // Who may publish need not submit, although the call works.
      if (isNamed !== works && !(action === 'submit' && works && stewards.includes(key)))
        faults.push(`${key} ${action}: named ${isNamed}, works ${works}`)
    }
  }
  expect(faults).toEqual([])
})

it('lists and counts have nothing of the catalogues of others', async () => {
  await draftIn('draft')
  const list = async (key: KeyName, more = '') =>
    done(key, { method: 'GET', path: `/drafts/datasets${more}` })
  for (const more of ['', '?catalogue=water', '?q=Draft', '?state=review&catalogue=water'])
    for (const key of ['a-steward-of-parks', 'a-program'] as const) {
      const { counts, drafts } = await list(key, more)
      expect([key, more, Object.values(Object(counts)).filter(Boolean), drafts]).toEqual([
        key,
        more,
        [],
        [],
      ])
    }
})
