/** OpenLink Virtuoso: got from Debian's packages, started on loopback with a password of its own. */

import { execFile, execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { foreign, freePort, Missing, started, type Engine, type EngineConfig } from './engine.ts'

const debianPackage = 'virtuoso-opensource-7-bin'
const instead = 'or set VIRTUOSO_URL=http://host:8890 (VIRTUOSO_USER, VIRTUOSO_PASSWORD)'

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

/** A new server with an empty database. */
export async function ownVirtuoso(): Promise<Engine> {
  const program = virtuosoProgram()
  const [sql, http] = [await freePort(), await freePort()]
  const password = randomBytes(12).toString('hex')
  return started(configOf(`http://127.0.0.1:${http}`, 'dba', password), async (directory) => {
    await Promise.all(['db', 'load'].map((name) => mkdir(join(directory, name))))
    await writeFile(join(directory, 'virtuoso.ini'), settings(directory, sql, http))
    const plain = ['+foreground', '+configfile', 'virtuoso.ini']
    // The first run makes the database and sets the passwords, then ends by itself.
    await promisify(execFile)(
      program,
      [...plain, '+pwdold', 'dba', '+pwddba', password, '+pwddav', password],
      { cwd: directory, timeout: 120_000 },
    )
    return {
      file: program,
      arguments: plain,
      directory,
      answersAt: `http://127.0.0.1:${http}/sparql`,
      patienceMs: 300_000,
    }
  })
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

/** `virtuoso-t` on the path, installed first where that is possible. */
function virtuosoProgram(): string {
  const found = () => {
    try {
      return execFileSync('sh', ['-c', 'command -v virtuoso-t'], { encoding: 'utf8' }).trim()
    } catch {
      return undefined
    }
  }
  const there = found()
  if (there) return there
  if (process.getuid?.() !== 0) {
    throw new Missing(`Virtuoso is not installed: apt-get install ${debianPackage}, ${instead}`)
  }
  try {
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
    const apt = (...words: string[]) =>
      execFileSync('apt-get', words, { env, stdio: ['ignore', 'ignore', 'inherit'] })
    apt('update', '-q')
    apt('install', '-q', '-y', '--no-install-recommends', debianPackage)
  } catch (error) {
    throw new Missing(`apt-get could not install ${debianPackage} (${String(error)}), ${instead}`)
  }
  const installed = found()
  if (!installed) throw new Missing(`${debianPackage} brought no virtuoso-t, ${instead}`)
  return installed
}

/** Loopback only, more threads than the gateway has sockets, no row limit that a graph could meet, short logs. */
const settings = (directory: string, sql: number, http: number) => `[Database]
DatabaseFile = ${directory}/db/virtuoso.db
ErrorLogFile = ${directory}/db/virtuoso.log
LockFile = ${directory}/db/virtuoso.lck
TransactionFile = ${directory}/db/virtuoso.trx
xa_persistent_file = ${directory}/db/virtuoso.pxa
FileExtend = 200
MaxCheckpointRemap = 2000
[TempDatabase]
DatabaseFile = ${directory}/db/temp.db
TransactionFile = ${directory}/db/temp.trx
[Parameters]
ServerPort = 127.0.0.1:${sql}
DisableUnixSocket = 1
ServerThreads = 50
NumberOfBuffers = 40000
MaxDirtyBuffers = 30000
CheckpointInterval = 10
CheckpointAuditTrail = 0
DirsAllowed = ${directory}/load
TransactionAfterImageLimit = 50000000
[HTTPServer]
ServerPort = 127.0.0.1:${http}
ServerThreads = 40
MaxKeepAlives = 40
KeepAliveTimeout = 15
EnabledDavVSP = 0
[SPARQL]
ResultSetMaxRows = 1000000
MaxQueryExecutionTime = 60
`
