/** The command about keys of people and programs. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { table } from '../../src/console/command-table.ts'
import { keyCommand } from '../../src/console/key-command.ts'
import { Accounts } from '../../src/http/accounts.ts'

let directory: string
let accounts: Accounts
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'keys-'))
  const path = join(directory, 'accounts.sqlite')
  accounts = new Accounts({ path, now: Date.now, hasAdministrator: true })
})
afterEach(() => {
  accounts.close()
  rmSync(directory, { recursive: true, force: true })
})

async function said(line: string, key = 'administrator') {
  const part = {
    accounts,
    invitationAddress: (token: string) => `http://portal.example/en/invitation/${token}`,
    isAdministrator: (id: string) => id === 'administrator',
    now: Date.now,
  }
  const { command, args } = table([keyCommand(part)]).parse(line)
  const context = { progress: () => undefined, signal: new AbortController().signal, key }
  const answer = await command.run(args, context)
  if (typeof answer === 'string') return [answer]
  const lines: string[] = []
  for await (const text of answer) lines.push(text)
  return lines
}

it('makes the key of a program, lists it without its secret, and revokes it', async () => {
  const [about = '', key = ''] = await said('key new gis-export --may publisher:rivers,reader:*')
  expect(key).toMatch(/^ctl_p_[\w-]{43}$/)
  expect(accounts.keyOf(key)?.permissions).toEqual(['publisher:rivers', 'reader:*'])
  const [listed = ''] = await said('key list')
  expect(listed).toMatch(
    /^program-\S+ {2}gis-export {2}active {2}ctl_p_\S{8} {2}20\d\d-\d\d-\d\d {2}publisher:rivers reader:\*$/,
  )
  const id = /program-\w+/.exec(about)?.[0] ?? ''
  expect(accounts.get(id).madeBy).toBe('administrator')
  expect(await said(`key revoke ${id}`)).toEqual(['revoked'])
  expect(accounts.keyOf(key)).toBeUndefined()
})

it('invites a person by an address that works once', async () => {
  const [, address = ''] = await said('key invite "Anna Berger" --may steward:rivers --days 30')
  const token = address.split('/').at(-1) ?? ''
  expect(accounts.accept(token).account).toMatchObject({ name: 'Anna Berger', kind: 'person' })
})

it('is for administrators, and says what is wrong', async () => {
  await expect(said('key list', 'typist')).rejects.toThrow('needs a key with the permission "*"')
  await expect(said('key new')).rejects.toThrow('usage: key list')
  await expect(said('key new x')).rejects.toThrow('--may')
  await expect(said('key new x --may owner:rivers')).rejects.toThrow('--may owner:rivers must be')
  await expect(said('key revoke nothing')).rejects.toThrow('there is no account "nothing"')
  expect(await said('key list')).toEqual(['no keys beside those of the configuration'])
})
