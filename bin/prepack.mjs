/**
 * Makes `dist` for the package: the sources without their types, because Node strips none below `node_modules`, and the files beside
 * them. Lines stay where they are.
 */

import { cpSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'

const root = new URL('../', import.meta.url)
const dist = new URL('dist/', root)

rmSync(dist, { recursive: true, force: true })
cpSync(new URL('src/', root), dist, { recursive: true })
for (const path of globSync('**/*.ts', { cwd: dist })) {
  const file = new URL(path, dist)
  const code = stripTypeScriptTypes(readFileSync(file, 'utf8'))
  // Modules that are imported, and the entries of workers.
  const renamed = code.replace(
    /((?:\bfrom|\bimport\(?|new URL\()\s*)(['"`])([^'"`\n]+)\.ts\2/g,
    '$1$2$3.js$2',
  )
  writeFileSync(new URL(path.replace(/\.ts$/, '.js'), dist), renamed)
  rmSync(file)
}
