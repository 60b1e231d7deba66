#!/usr/bin/env node
/*
 * The program `cartulary`. ECMAScript 5, because an old Node must be able to read it: that one looks for the Node that comes with
 * the packages and runs the program with it, or says in one sentence what is missing. The platform runs under flags of V8, for
 * which the process replaces itself.
 */

'use strict'

var childProcess = require('child_process')
var fs = require('fs')
var path = require('path')

var root = path.join(__dirname, '..')
// A package has compiled files in place of the sources.
var sources = fs.existsSync(path.join(root, 'src')) ? 'src' : 'dist'
var suffix = sources === 'src' ? '.ts' : '.js'
var wanted = 24

/** Flags of `start` and `demo`: few collections of young objects, and compiled code is kept. */
var flags = [
  '--import=' + require('url').pathToFileURL(path.join(root, sources, 'compile-cache.js')).href,
  '--max-semi-space-size=16',
  '--heap-growing-percent=100',
]

/** Leading number of a version such as `v24.21.0`; 0 for anything else. */
function majorOf(version) {
  return Number((/^v?(\d+)\./.exec(version) || [])[1] || 0)
}

/** Newest Node among those of the packages, or an empty text. */
function bundledNode() {
  var newest = { path: '', version: [0, 0, 0] }
  var folders = [path.join(root, 'node_modules'), path.join(root, '..')]
  folders.forEach(function (folder) {
    var candidate = path.join(folder, '.bin', process.platform === 'win32' ? 'node.cmd' : 'node')
    if (!fs.existsSync(candidate)) return
    var answer = childProcess.spawnSync(candidate, ['--version'], { encoding: 'utf8' })
    var version = (answer.stdout || '').trim().replace('v', '').split('.').map(Number)
    var isNewer = version[0] - newest.version[0] || version[1] - newest.version[1]
    if (version[0] >= wanted && isNewer > 0) newest = { path: candidate, version: version }
  })
  return newest.path
}

/** Environment of the other Node: two arenas serve its threads as well as sixteen, and what is free goes back to the system. */
function environment() {
  return Object.assign({ MALLOC_ARENA_MAX: '2', MALLOC_TRIM_THRESHOLD_: '1000000' }, process.env)
}

/** Runs a Node in place of this process, or beside it where it cannot be replaced: signals and exit code are passed on. */
function runWith(node, words) {
  if (process.execve) {
    process.execve(node, [node].concat(words), environment())
    return
  }
  var child = childProcess.spawn(node, words, { env: environment(), stdio: 'inherit' })
  var forwarded = ['SIGINT', 'SIGTERM', 'SIGHUP']
  forwarded.forEach(function (name) {
    process.on(name, function () {
      // A terminal sends Ctrl-C to both.
      if (name !== 'SIGINT' || !process.stdin.isTTY) child.kill(name)
    })
  })
  child.on('exit', function (code, signal) {
    if (signal === null) process.exit(code)
    forwarded.forEach(function (name) {
      process.removeAllListeners(name)
    })
    process.kill(process.pid, signal)
  })
}

function run() {
  var words = process.argv.slice(2)
  var runsPlatform = words.indexOf('start') >= 0 || words.indexOf('demo') >= 0
  var hasFlags = process.execArgv.join(' ').indexOf('--max-semi-space-size') >= 0
  var needed = runsPlatform && !hasFlags ? flags : []
  if (majorOf(process.version) < wanted) {
    var node = bundledNode()
    if (node !== '') return runWith(node, needed.concat([__filename], words))
    process.stderr.write(
      'Cartulary needs Node ' +
        wanted +
        ' or newer; this is ' +
        process.version +
        ' on ' +
        process.platform +
        '-' +
        process.arch +
        '. Install it (nodejs.org, nvm, brew install node) and start again.\n',
    )
    process.exitCode = 2
    return
  }
  if (needed.length > 0) return runWith(process.execPath, needed.concat([__filename], words))
  require(path.join(root, sources, 'compile-cache.js'))
  require(path.join(root, sources, 'program', 'program' + suffix)).main(process.argv)
}

run()
