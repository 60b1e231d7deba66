/** Command about the keys of people and programs. */

import { Failure } from '../errors.ts'
import type { Account } from '../http/accounts.ts'
import { isPermission, permissionForms } from '../http/api-key.ts'
import { dayMs } from '../text/duration.ts'
import { type Command, type CommandArguments, WrongCommand } from './command.ts'
import { firstWord, type KeyPart } from './console-parts.ts'
import { columns } from './text-output.ts'

const [usualDays, mostDays, mostAccounts] = [365, 730, 1000]
const usage = 'key list | key invite <name> | key new <name> | key revoke <id>'

/** Command `key`: lists the keys of people and programs, invites a person, makes the key of a program, or revokes one. */
export const keyCommand = (part: KeyPart): Command => ({
  name: 'key',
  words: '<list|invite|new|revoke> [name]',
  summary: 'lists keys, invites a person, makes the key of a program, or revokes one by its id',
  options: {
    may: {
      type: 'string',
      value: 'permissions',
      meaning: `with commas between: ${permissionForms}`,
    },
    mail: { type: 'string', value: 'address', meaning: 'of the person' },
    days: {
      type: 'string',
      value: 'number',
      meaning: `until its end; ${usualDays} when absent`,
      range: [1, mostDays],
    },
  },
  complete: firstWord(() => ['list', 'invite', 'new', 'revoke']),
  run: (args, { key: by }) => {
    if (!part.isAdministrator(by))
      throw new Failure('forbidden', 'this needs a key with the permission "*"')
    const [word, name] = args.words
    if (word === 'list' && name === undefined) return listOf(part)
    if (name === undefined) throw new WrongCommand(`usage: ${usage}`)
    if (word === 'revoke') {
      part.accounts.revoke(name)
      return 'revoked'
    }
    const facts = factsOf(part, name, args)
    if (word === 'invite') {
      const { account, token } = part.accounts.invite(facts, by)
      return [`${account.id} opens this once, in the next 7 days:`, part.invitationAddress(token)]
    }
    if (word !== 'new') throw new WrongCommand(`usage: ${usage}`)
    const { account, key } = part.accounts.addProgram(facts, by)
    return [`the key of ${account.id}, which is not shown again:`, key]
  },
})

function factsOf({ now }: KeyPart, name: string, { text, number }: CommandArguments) {
  const permissions = (text('may') ?? '').split(',').filter((one) => one !== '')
  const wrong = permissions.find((one) => !isPermission(one))
  if (permissions.length === 0 || wrong !== undefined)
    throw new WrongCommand(`--may ${wrong ?? ''} must be ${permissionForms}`)
  const ends = now() + (number('days') ?? usualDays) * dayMs
  return { name, mail: text('mail') ?? '', permissions, ends }
}

function listOf({ accounts }: KeyPart) {
  const list = accounts.list({ offset: 0, limit: mostAccounts })
  return list.length === 0 ? 'no keys beside those of the configuration' : columns(list.map(rowOf))
}

const rowOf = ({ id, name, prefix, permissions, state, ends }: Account): readonly string[] => [
  id,
  name,
  state,
  prefix ?? '',
  ends === undefined ? '' : new Date(ends).toISOString().slice(0, 10),
  permissions.join(' '),
]
