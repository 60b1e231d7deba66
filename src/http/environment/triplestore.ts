/** `PLATFORM_TRIPLESTORE_CONFIG`: which triplestore, where its endpoints are, and who we are there. */

import { z } from 'zod'
import type { StoreConfig } from '../../store/open.ts'
import { nearest } from './spelling.ts'

const names = [
  'dialect',
  'address',
  'queryEndpoint',
  'updateEndpoint',
  'graphEndpoint',
  'username',
  'password',
] as const

type Name = (typeof names)[number]
type Given = Readonly<Partial<Record<Name, string>>>

const dialects = ['fuseki', 'virtuoso', 'sparql11'] as const
type DialectName = (typeof dialects)[number]

/** Where the endpoints of a product are when nothing is said; every store of the two protocols has its own. */
const usual: Readonly<Record<DialectName, (known: boolean) => Given>> = {
  fuseki: () => ({ queryEndpoint: '/query', updateEndpoint: '/update', graphEndpoint: '/data' }),
  virtuoso: (known) =>
    known
      ? {
          queryEndpoint: '/sparql-auth',
          updateEndpoint: '/sparql-auth',
          graphEndpoint: '/sparql-graph-crud-auth',
        }
      : {
          queryEndpoint: '/sparql',
          updateEndpoint: '/sparql',
          graphEndpoint: '/sparql-graph-crud',
        },
  sparql11: () => ({}),
}

const isName = (name: string): name is Name => names.some((known) => known === name)
const isDialect = (name: unknown): name is DialectName => dialects.some((known) => known === name)

/** Sentences about one object; they name fields and never repeat values, because one of these is a password. */
function faults(given: Readonly<Record<string, unknown>>): string[] {
  const unknown = Object.keys(given).filter((name) => !isName(name))
  const blank = names.filter((name) => name in given && !isText(given[name]))
  return [
    ...unknown.map((name) => {
      const close = nearest(name, names)
      return `has a field that is not read${close === undefined ? '' : ` (did you mean ${close}?)`}`
    }),
    ...blank.map((name) => `${name} must be text that is not empty`),
    ...(isDialect(given['dialect']) ? [] : [`dialect must be one of ${dialects.join(', ')}`]),
    ...('username' in given === 'password' in given
      ? []
      : ['username and password must be given together']),
  ]
}

const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== ''

const isAddress = (text: string) => {
  const url = URL.parse(text)
  return url !== null && /^https?:$/.test(url.protocol) && !url.username && !url.password
}

/** An endpoint as a URL, or what is wrong with it. */
function endpoint(name: Name, given: Given): { url: string } | { fault: string } {
  const { [name]: place, address } = given
  const right = 'an http(s) URL without credentials'
  if (place === undefined) return { fault: `${name} must be given for this dialect` }
  if (/^[a-z][a-z0-9+.-]*:/i.test(place)) {
    return isAddress(place) ? { url: place } : { fault: `${name} must be ${right}` }
  }
  if (address === undefined) return { fault: `${name} must be ${right}, or address must be given` }
  const url = `${address.replace(/\/+$/, '')}/${place.replace(/^\/+/, '')}`
  return isAddress(url) ? { url } : { fault: `address must be ${right}` }
}

/** The configuration, with the usual endpoints where none are given, or every sentence that is wrong. */
export const triplestore = z
  .record(z.string(), z.unknown())
  .transform((given, context): StoreConfig => {
    const problems = faults(given)
    const told: Given = Object.fromEntries(
      Object.entries(given).filter(([name, value]) => isName(name) && isText(value)),
    )
    const { username, password } = told
    const dialect = isDialect(told.dialect) ? told.dialect : 'sparql11'
    const all = { ...usual[dialect](username !== undefined), ...told }
    const wanted: readonly Name[] = all.graphEndpoint
      ? ['queryEndpoint', 'updateEndpoint', 'graphEndpoint']
      : ['queryEndpoint', 'updateEndpoint']
    const endpoints = wanted.map((name) => endpoint(name, all))
    if (problems.length === 0) {
      problems.push(...new Set(endpoints.flatMap((one) => ('fault' in one ? one.fault : []))))
    }
    for (const message of problems) context.addIssue({ code: 'custom', message })
    if (problems.length > 0) return z.NEVER
    const [query = '', update = '', graph] = endpoints.map((one) => ('url' in one ? one.url : ''))
    return {
      dialect,
      queryEndpoint: query,
      updateEndpoint: update,
      ...(graph !== undefined && { graphEndpoint: graph }),
      ...(username !== undefined && { username, password }),
    }
  })
