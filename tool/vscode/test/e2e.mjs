//===- e2e.mjs - The extension in a real VS Code --------------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Opens a sample in code-server (VS Code in a browser) with the packed
// extension, waits for the squiggle, applies the action from the light bulb and
// compares the saved file with what catt-rewrite writes. The screenshot shows
// the open list of actions; if something fails, another shows the window then.
//
// usage: node e2e.mjs <build/bin> <catt.vsix> <sample.cu> <screenshot.png>
// (in a directory whose node_modules hold code-server and playwright-core)
//
//===----------------------------------------------------------------------===//
import { execFileSync, spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { createRequire } from "node:module";

const require = createRequire(path.join(process.cwd(), "package.json"));
const { chromium } = require("playwright-core");
const [bin, vsix, sample, screenshot] = process.argv
  .slice(2)
  .map((name) => path.resolve(name));
if (!screenshot)
  throw new Error("usage: e2e.mjs <bin> <vsix> <sample.cu> <screenshot.png>");

const port = 20000 + (process.pid % 20000);
const seconds = 1000;
const patience = 240 * seconds;
const codeServer = path.resolve("node_modules/code-server/out/node/entry.js");
const scratch = fs.mkdtempSync(path.join(os.tmpdir(), "catt-vscode-"));
const project = path.join(scratch, "project");
const file = path.join(project, path.basename(sample));
const failure = screenshot.replace(/(\.png)?$/, "-failed.png");
const options = ["--gpu=h200", "--no-cuda"];

/** Settings that make the window quiet and the analysis reproducible. */
const settings = {
  "catt.serverPath": path.join(bin, "catt-lsp"),
  "catt.gpu": "h200",
  "catt.noCuda": true,
  "security.workspace.trust.enabled": false,
  "workbench.startupEditor": "none",
  "workbench.tips.enabled": false,
  "workbench.colorTheme": "Default Light Modern",
  "telemetry.telemetryLevel": "off",
  "extensions.ignoreRecommendations": true,
  "chat.disableAIFeatures": true,
  "files.autoSave": "off",
};

function serverArguments(...more) {
  return [
    codeServer,
    `--user-data-dir=${scratch}/user`,
    `--extensions-dir=${scratch}/extensions`,
    "--disable-telemetry",
    "--disable-update-check",
    ...more,
  ];
}

function prepare() {
  fs.mkdirSync(project);
  fs.copyFileSync(sample, file);
  fs.mkdirSync(`${scratch}/user/User`, { recursive: true });
  fs.writeFileSync(
    `${scratch}/user/User/settings.json`,
    JSON.stringify(settings),
  );
  execFileSync(process.execPath, serverArguments("--install-extension", vsix), {
    stdio: "pipe", // it logs each native module that it has to do without
  });
}

async function waitFor(what, ready) {
  const end = Date.now() + patience;
  for (;;) {
    const value = await ready();
    if (value) return value;
    if (Date.now() > end) throw new Error(`gave up waiting for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

async function openSample(page) {
  // Searching files would need ripgrep, which npm only downloads by a script.
  const host = `127.0.0.1:${port}`;
  const open = JSON.stringify([["openFile", `vscode-remote://${host}${file}`]]);
  await page.goto(
    `http://${host}/?folder=${project}&payload=${encodeURIComponent(open)}`,
  );
  await page.waitForSelector(".monaco-workbench", { timeout: patience });
  await page.waitForSelector(".monaco-editor .view-lines", {
    timeout: patience,
  });
}

/** Where the loop begins that the command line would split, as line:column. */
function contendedLoop() {
  const text = execFileSync(
    path.join(bin, "catt-rewrite"),
    [...options, "--report=text", file],
    { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] },
  );
  const found = text.match(/:(\d+:\d+): remark: .*\[split-warp-groups\]/);
  if (!found) throw new Error(`nothing to split in ${sample}:\n${text}`);
  return found[1];
}

/**
 * An editor draws only the lines in view, with their squiggles, and shows the
 * light bulb only where the cursor is at a word.
 */
async function goTo(page, place) {
  await page.keyboard.press("Control+g");
  await page.waitForSelector(".quick-input-widget", { timeout: patience });
  await page.keyboard.type(place);
  await page.keyboard.press("Enter");
}

async function applyFromLightBulb(page) {
  // It stands in the margin if the line leaves no room before its text.
  const bulb = page
    .locator(".lightBulbWidget:visible, [class*=gutter-lightbulb]:visible")
    .first();
  await bulb.waitFor({ timeout: patience });
  await bulb.click({ force: true });
  const title = "Apply all that catt proposes in this file";
  const action = page.locator(".action-widget", { hasText: title });
  await action.waitFor({ timeout: patience });
  await page.screenshot({ path: screenshot });
  // An invisible block above the list goes away when the mouse moves.
  await page.locator(".action-widget .monaco-list-row", { hasText: title })
    .first().click({ force: true });
}

async function main() {
  prepare();
  const expected = execFileSync(
    path.join(bin, "catt-rewrite"),
    [...options, file],
    { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] },
  );
  const server = spawn(
    process.execPath,
    serverArguments("--auth=none", `--bind-addr=127.0.0.1:${port}`),
    { stdio: "ignore" },
  );
  let browser, page;
  try {
    await waitFor("code-server", () =>
      fetch(`http://127.0.0.1:${port}/healthz`).then((r) => r.ok, () => false),
    );
    browser = await chromium.launch({
      executablePath: "/usr/bin/chromium",
      args: ["--no-sandbox", "--disable-gpu"],
    });
    page = await browser.newPage({
      viewport: { width: 1280, height: 800 },
    });
    await openSample(page);
    await goTo(page, contendedLoop());
    await page.waitForSelector(".squiggly-warning", { timeout: patience });
    console.log("the contended loop is underlined");
    await applyFromLightBulb(page);
    await waitFor("the edit", async () =>
      (await page.locator(".tab.dirty").count()) > 0);
    await page.keyboard.press("Control+s");
    await waitFor("the saved file", () =>
      fs.readFileSync(file, "utf8") === expected);
    console.log("the light bulb's action wrote what catt-rewrite writes");
  } catch (error) {
    await page?.screenshot({ path: failure }).then(
      () => console.error(`the window as it was then: ${failure}`),
      () => {},
    );
    throw error;
  } finally {
    await browser?.close();
    server.kill();
    fs.rmSync(scratch, { recursive: true, force: true, maxRetries: 5 });
  }
}

await main();
