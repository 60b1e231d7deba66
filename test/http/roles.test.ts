/** Roles: what permissions grant in which catalogue. */

import { describe, expect, it } from 'vitest'
import { isPermission, isPermitted } from '../../src/http/api-key.ts'
import { cataloguesOf, hasRole, type Role } from '../../src/http/roles.ts'

const roles = ['reader', 'publisher', 'steward', 'administrator'] as const

/** Roles that a permission grants in the catalogue "rivers". */
const granted = (permission: string, catalogue?: string): readonly Role[] =>
  roles.filter((role) => hasRole([permission], role, catalogue))

describe('a role', () => {
  it.each([
    ['reader:rivers', ['reader']],
    ['publisher:rivers', ['reader', 'publisher']],
    ['steward:rivers', ['reader', 'publisher', 'steward']],
    ['steward:*', ['reader', 'publisher', 'steward']],
    ['publisher:*', ['reader', 'publisher']],
    ['rivers', ['reader', 'publisher', 'steward']],
    ['*', roles],
    ['publisher:lakes', []],
    ['lakes', []],
    ['PUT /catalogues/rivers', []],
    ['owner:rivers', []],
  ] as const)('of "%s" includes those before it', (permission, expected) => {
    expect(granted(permission, 'rivers')).toEqual(expected)
  })

  it('without a catalogue is that of everything alone', () => {
    expect(granted('steward:*')).toEqual([])
    expect(granted('rivers')).toEqual([])
    expect(granted('*')).toEqual(roles)
  })

  it('is a permission, and other names of roles are none', () => {
    expect(roles.filter((role) => isPermission(`${role}:rivers`))).toEqual(roles.slice(0, 3))
    for (const wrong of ['owner:rivers', 'reader:', ':rivers', 'reader:a b', 'steward:**'])
      expect([wrong, isPermission(wrong)]).toEqual([wrong, false])
  })

  it('covers an action from the role on that the action needs, by default a steward', () => {
    const may = (permission: string, role?: Role) =>
      isPermitted(
        { id: '', permissions: [permission] },
        { method: 'PUT', path: '/x', catalogue: 'rivers', role },
      )
    expect(may('publisher:rivers')).toBe(false)
    expect(may('steward:rivers')).toBe(true)
    expect(may('publisher:rivers', 'publisher')).toBe(true)
    expect(may('reader:rivers', 'publisher')).toBe(false)
    expect(may('steward:*', 'administrator')).toBe(false)
    expect(may('PUT /x', 'administrator')).toBe(true)
  })

  it('has its catalogues', () => {
    const permissions = ['lakes', 'publisher:rivers', 'reader:seas', 'GET /x']
    expect(cataloguesOf(permissions, 'reader')).toEqual(['lakes', 'rivers', 'seas'])
    expect(cataloguesOf(permissions, 'publisher')).toEqual(['lakes', 'rivers'])
    expect(cataloguesOf(['publisher:*'], 'publisher')).toBe('*')
    expect(cataloguesOf(['publisher:*'], 'steward')).toEqual([])
  })
})
