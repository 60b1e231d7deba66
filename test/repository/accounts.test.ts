/** Accounts: keys of people and programs, invitations, and requests of the portal for a person. */

import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { actingKey, prefixes, repository, type RepositoryOptions } from '../support/repository.ts'

const dayMs = 86_400_000
let repo: Awaited<ReturnType<typeof repository>>
afterEach(() => repo.close())

type Made = {
  readonly account: { readonly id: string }
  readonly key: string
  readonly token: string
}
const open = async (options: RepositoryOptions = {}) => {
  repo = await repository(options)
  await repo.putCatalogue('rivers')
  await repo.putCatalogue('lakes')
}
const send = async (
  method: string,
  path: string,
  body?: object,
  headers: Record<string, string> = {},
) => {
  const asked = {
    method,
    headers,
    ...(body && { body: JSON.stringify(body), type: 'application/json' }),
  }
  const answer = await repo.ask(path, asked)
  const text = await answer.text()
  return {
    status: answer.status,
    headers: answer.headers,
    body: (text === '' ? {} : JSON.parse(text)) as Made & Record<string, unknown>,
  }
}
const program = async (...permissions: string[]) => {
  const { body } = await send('POST', '/accounts', {
    kind: 'program',
    name: 'gis-export',
    permissions,
  })
  return body
}
const person = async (...permissions: string[]) => {
  const { body } = await send('POST', '/accounts', {
    kind: 'person',
    name: 'Anna Berger',
    permissions,
  })
  return body
}
const accept = (token: string) => send('POST', '/invitations', { token })
const me = (key: string, headers: Record<string, string> = {}) =>
  send('GET', '/account', undefined, { 'X-API-Key': key, ...headers })
/** Status of a write into a catalogue, which needs a steward. */
const write = async (catalogue: string, key: string, headers: Record<string, string> = {}) => {
  const all = { 'X-API-Key': key, ...headers }
  const answer = await repo.putDataset(catalogue, 'x', `${prefixes}<> a dcat:Dataset .`, {
    headers: all,
  })
  return answer.status
}

describe('the key of a program', () => {
  it('is shown once, and permits what its role does', async () => {
    await open()
    const made = await send('POST', '/accounts', {
      kind: 'program',
      name: 'gis',
      permissions: ['steward:rivers'],
    })
    expect([made.status, made.headers.get('Cache-Control')]).toEqual([201, 'no-store'])
    expect(made.body.key).toMatch(/^ctl_p_[\w-]{43}$/)
    expect(await write('rivers', made.body.key)).toBe(201)
    expect(await write('lakes', made.body.key)).toBe(403)
    const { body } = await send('GET', '/accounts', undefined, {
      'X-API-Key': 'a-key-for-everything',
    })
    const listed = JSON.stringify(body)
    expect(listed).toContain(made.body.key.slice(0, 14))
    expect(listed).not.toContain(made.body.key.slice(0, 20))
  })

  it('fails at the next request after it was revoked', async () => {
    await open()
    const { key, account } = await program('steward:rivers')
    expect((await me(key)).status).toBe(200)
    expect((await send('DELETE', `/accounts/${account.id}`)).status).toBe(204)
    expect((await me(key)).status).toBe(401)
    expect(await write('rivers', key)).toBe(401)
  })

  it('has other permissions at the next request after they were changed', async () => {
    await open()
    const { key, account } = await program('steward:rivers')
    await send('PATCH', `/accounts/${account.id}`, { permissions: ['reader:rivers'] })
    expect(await write('rivers', key)).toBe(403)
  })

  it('ends with its time: a year by default, two at most', async () => {
    await open()
    const { key } = await program('rivers')
    repo.clock.now = new Date(repo.clock.now.getTime() + 364 * dayMs)
    expect((await me(key)).status).toBe(200)
    repo.clock.now = new Date(repo.clock.now.getTime() + 2 * dayMs)
    expect((await me(key)).status).toBe(401)
    const ends = (days: number) => new Date(repo.clock.now.getTime() + days * dayMs).toISOString()
    const facts = { kind: 'program', name: 'x', permissions: ['rivers'] }
    expect((await send('POST', '/accounts', { ...facts, ends: ends(731) })).status).toBe(400)
    expect((await send('POST', '/accounts', { ...facts, ends: ends(-1) })).status).toBe(400)
    expect((await send('POST', '/accounts', { ...facts, ends: ends(729) })).status).toBe(201)
  })

  it('is renewed by its holder, and the old one works for 7 more days', async () => {
    await open()
    const { key, account } = await program('rivers')
    const renewed = await send('POST', '/account/key', undefined, { 'X-API-Key': key })
    expect([renewed.status, renewed.body.account.id]).toEqual([201, account.id])
    repo.clock.now = new Date(repo.clock.now.getTime() + 6 * dayMs)
    expect([(await me(key)).status, (await me(renewed.body.key)).status]).toEqual([200, 200])
    repo.clock.now = new Date(repo.clock.now.getTime() + 2 * dayMs)
    expect([(await me(key)).status, (await me(renewed.body.key)).status]).toEqual([401, 200])
  })

  it('notes its use once an hour', async () => {
    await open()
    const { key, account } = await program('rivers')
    const lastUsed = () => repo.accounts.get(account.id).lastUsed
    expect(lastUsed()).toBeUndefined()
    const begun = repo.clock.now.getTime()
    await me(key)
    repo.clock.now = new Date(begun + 3_599_000)
    await me(key)
    expect(lastUsed()).toBe(begun)
    repo.clock.now = new Date(begun + 3_600_000)
    await me(key)
    expect(lastUsed()).toBe(begun + 3_600_000)
  })

  it('is in no file, and the file is for its owner alone', async () => {
    await open()
    const { key } = await program('rivers')
    const { token } = await person('rivers')
    await me(key)
    for (const name of readdirSync(repo.directory).filter((one) => one.startsWith('accounts'))) {
      const bytes = readFileSync(join(repo.directory, name), 'latin1')
      expect(bytes.includes(key.slice(14))).toBe(false)
      expect(bytes.includes(token)).toBe(false)
    }
    expect(statSync(join(repo.directory, 'accounts.sqlite')).mode & 0o777).toBe(0o600)
  })
})

describe('an invitation', () => {
  it('gives its key once', async () => {
    await open()
    const { token, account } = await person('steward:rivers')
    expect(repo.accounts.get(account.id).state).toBe('invited')
    const accepted = await accept(token)
    expect([accepted.status, accepted.headers.get('Cache-Control')]).toEqual([201, 'no-store'])
    expect(accepted.body.key).toMatch(/^ctl_u_[\w-]{43}$/)
    expect(await write('rivers', accepted.body.key)).toBe(201)
    expect((await accept(token)).status).toBe(404)
  })

  it('ends after 7 days, and when it is taken back', async () => {
    await open()
    const [late, taken] = [await person('rivers'), await person('rivers')]
    await send('DELETE', `/accounts/${taken.account.id}`)
    expect((await accept(taken.token)).status).toBe(404)
    repo.clock.now = new Date(repo.clock.now.getTime() + 8 * dayMs)
    expect((await accept(late.token)).status).toBe(404)
  })

  it('cannot be guessed: five wrong tokens a minute', async () => {
    await open()
    for (let at = 0; at < 5; at += 1) expect((await accept(`guess-${at}`)).status).toBe(404)
    const refused = await accept('guess-5')
    expect([refused.status, refused.headers.get('Retry-After')]).toEqual([429, '60'])
  })
})

describe('the last administrator', () => {
  it('cannot be revoked or lowered before there is another one', async () => {
    await open({ hasAdministrator: false })
    const first = await program('*')
    const path = `/accounts/${first.account.id}`
    expect((await send('DELETE', path)).status).toBe(409)
    expect((await send('PATCH', path, { permissions: ['rivers'] })).status).toBe(409)
    const invited = await person('*')
    // An invitation is no administrator yet.
    expect((await send('DELETE', path)).status).toBe(409)
    await accept(invited.token)
    expect((await send('DELETE', path)).status).toBe(204)
    expect((await send('DELETE', `/accounts/${invited.account.id}`)).status).toBe(409)
  })

  it('can be revoked where the configuration has one', async () => {
    await open()
    const { account } = await program('*')
    expect((await send('DELETE', `/accounts/${account.id}`)).status).toBe(204)
  })
})

describe('Acting-For', () => {
  it('gives the portal the permissions of the person, and no others', async () => {
    await open()
    const { account } = await program('steward:rivers')
    const acting = { 'Acting-For': account.id }
    expect(await write('rivers', actingKey, acting)).toBe(201)
    expect(await write('lakes', actingKey, acting)).toBe(403)
    expect((await me(actingKey, acting)).body['id']).toBe(account.id)
    await send('DELETE', `/accounts/${account.id}`)
    expect(await write('rivers', actingKey, acting)).toBe(403)
    expect(await write('rivers', actingKey, { 'Acting-For': 'person-of-nowhere' })).toBe(403)
  })

  it('is refused with every other key, also one of everything', async () => {
    await open()
    const administrator = await program('*')
    const { account } = await program('steward:rivers')
    const acting = { 'Acting-For': account.id }
    for (const key of ['a-key-for-everything', administrator.key])
      expect([key, await write('rivers', key, acting)]).toEqual([key, 403])
    expect(await write('rivers', 'unknown', acting)).toBe(401)
    const none = await repo.app.request('/account', { headers: acting })
    expect(none.status).toBe(401)
  })
})

describe('accounts', () => {
  it('are for administrators; the own one is for every key', async () => {
    await open()
    const { key, account } = await program('steward:*')
    const own = { 'X-API-Key': key }
    const calls = [
      ['GET', '/accounts'],
      ['POST', '/accounts', { kind: 'program', name: 'x', permissions: ['*'] }],
      ['PATCH', `/accounts/${account.id}`, { permissions: ['*'] }],
      ['DELETE', `/accounts/${account.id}`],
    ] as const
    for (const [method, path, body] of calls)
      expect([method, (await send(method, path, body, own)).status]).toEqual([method, 403])
    expect((await me(key)).body).toMatchObject({ id: account.id, kind: 'program', state: 'active' })
    expect((await me('a-key-for-alpine-water')).body).toMatchObject({ kind: 'configured' })
    const renewed = await send('POST', '/account/key', undefined, {
      'X-API-Key': 'a-key-for-alpine-water',
    })
    expect(renewed.status).toBe(409)
  })

  it.each([
    [{ name: '' }],
    [{ name: 'two\nlines' }],
    [{ name: 'turned \u202e around' }],
    [{ name: 'x'.repeat(201) }],
    [{ mail: 'nowhere' }],
    [{ permissions: ['owner:rivers'] }],
    [{ permissions: Array.from({ length: 201 }, (_, at) => `c${at}`) }],
    [{ ends: 'soon' }],
    [{ kind: 'user' }],
    [{ id: 'chosen' }],
  ])('refuse %j', async (wrong) => {
    await open()
    const facts = { kind: 'person', name: 'Anna', permissions: ['rivers'], ...wrong }
    expect((await send('POST', '/accounts', facts)).status).toBe(400)
  })

  it('of a provider can be blocked and permitted again, and not changed', async () => {
    await open()
    const user = { id: 'user-0123456789abcdef', name: 'Ines', permissions: ['*'] }
    expect(repo.accounts.noteUser(user, '')).toEqual(user)
    const path = `/accounts/${user.id}`
    expect((await send('PATCH', path, { permissions: ['rivers'] })).status).toBe(409)
    await send('DELETE', path)
    expect(repo.accounts.noteUser(user, '')).toBeUndefined()
    expect((await me(actingKey, { 'Acting-For': user.id })).status).toBe(403)
    expect((await send('PATCH', path, { isBlocked: false })).status).toBe(200)
    expect(repo.accounts.noteUser(user, '')).toEqual(user)
  })

  it('are found by one lookup, however many there are', async () => {
    await open()
    const { key } = await program('rivers')
    const lookups = () => {
      const begun = performance.now()
      for (let at = 0; at < 2000; at += 1) repo.accounts.keyOf(key)
      return performance.now() - begun
    }
    lookups()
    const one = lookups()
    for (let at = 0; at < 500; at += 1)
      repo.accounts.addProgram({ name: `p${at}`, mail: '', permissions: [] }, '')
    // Generous, because the machine may be busy: a walk through all would take 500 times as long.
    expect(lookups()).toBeLessThan(50 * one)
  })
})
