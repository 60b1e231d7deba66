/** OpenLink Virtuoso: got from Debian's packages, started on loopback with a password of its own. */

import { randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { installed } from './apt.ts'
import { foreign, freePort, started, type Engine, type EngineConfig } from './engine.ts'

const shipped = new URL('../../../compose/virtuoso', import.meta.url).pathname
const program = {
  program: 'virtuoso-t',
  debianPackage: 'virtuoso-opensource-7-bin',
  instead: 'or set VIRTUOSO_URL=http://host:8890 (VIRTUOSO_USER, VIRTUOSO_PASSWORD)',
}

/**
 * The server at `VIRTUOSO_URL` (`VIRTUOSO_USER`, default `dba`, and `VIRTUOSO_PASSWORD`), else one of our own. Rejects with
 * `Missing` when the program is neither there nor to be had.
 */
export async function startVirtuoso(): Promise<Engine> {
  const address = process.env['VIRTUOSO_URL']
  if (!address) return ownVirtuoso()
  const username = process.env['VIRTUOSO_USER'] ?? 'dba'
  return foreign(configOf(address, username, process.env['VIRTUOSO_PASSWORD'] ?? 'dba'))
}

/**
 * A new server, started as `compose/` starts it: with an empty database, or with that of a backup that `prepare` puts into the
 * directory, whose password is given.
 */
export async function ownVirtuoso(
  password = randomBytes(10).toString('hex'),
  prepare: (directory: string) => Promise<void> = () => Promise.resolve(),
): Promise<Engine> {
  installed(program)
  const [sql, http] = [await freePort(), await freePort()]
  return started(configOf(`http://127.0.0.1:${http}`, 'dba', password), async (directory) => {
    const ini = join(directory, 'virtuoso.ini')
    await writeFile(ini, await settings(directory, sql, http))
    await prepare(directory)
    return {
      file: 'sh',
      arguments: [join(shipped, 'start.sh')],
      directory,
      env: { VIRTUOSO_DIR: directory, VIRTUOSO_INI: ini, VIRTUOSO_PASSWORD: password },
      answersAt: `http://127.0.0.1:${http}/sparql`,
      patienceMs: 300_000,
    }
  })
}

/** The shipped settings, on loopback and in a directory of this server's own. */
async function settings(directory: string, sql: number, http: number): Promise<string> {
  const text = await readFile(join(shipped, 'virtuoso.ini'), 'utf8')
  return text
    .replaceAll('/virtuoso/', `${directory}/`)
    .replace('127.0.0.1:1111', `127.0.0.1:${sql}`)
    .replace('0.0.0.0:8890', `127.0.0.1:${http}`)
}

function configOf(address: string, username: string, password: string): EngineConfig {
  return {
    dialect: 'virtuoso',
    queryEndpoint: `${address}/sparql-auth`,
    updateEndpoint: `${address}/sparql-auth`,
    graphEndpoint: `${address}/sparql-graph-crud-auth`,
    username,
    password,
  }
}
