/** Settings that the shipped files name: each one stands in the list of settings. */

import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { read, root } from './reading.ts'

const folders = ['compose', 'deploy', '.github']
const files = folders.flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== '.env')
    .map(({ parentPath, name }) => join(parentPath, name).slice(root.length)),
)

it.each(['Dockerfile', ...files])('%s names only settings that exist', (path) => {
  const page = read('docs/configuration.md')
  const known = new Set([...page.matchAll(/^\| `(PLATFORM_\w+)`/gm)].map(([, name]) => name))
  expect(known.size).toBeGreaterThan(20)
  const named = read(path).match(/PLATFORM_[A-Z]\w*/g) ?? []
  expect(named.filter((name) => !known.has(name.replace(/_FILE$/, '')))).toEqual([])
})
