//===- extension.ts - A thin client of catt-lsp ---------------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Starts the server, names the GPU in the status bar, and shows reports in an
// editor of their own. Everything else is the language client's and the
// server's.
//
//===----------------------------------------------------------------------===//
import * as vscode from "vscode";
import { LanguageClient, State } from "vscode-languageclient/node";

const languages = ["cuda-cpp", "cuda"];
const showReport = "catt.showReport";

let client: LanguageClient | undefined;

/** What catt-lsp says of the GPU that it optimizes for. */
interface Gpu {
  name: string;
  architecture: string;
  origin: string;
}

async function openText(text: string): Promise<void> {
  const document = await vscode.workspace.openTextDocument({ content: text });
  await vscode.window.showTextDocument(document, { preview: true });
}

function makeClient(status: vscode.StatusBarItem): LanguageClient {
  const settings = vscode.workspace.getConfiguration("catt");
  const made = new LanguageClient(
    "catt",
    "catt",
    { command: settings.get<string>("serverPath", "catt-lsp") },
    {
      documentSelector: languages.map((language) => ({
        scheme: "file",
        language,
      })),
      initializationOptions: settings,
      synchronize: { configurationSection: "catt" },
      middleware: {
        // A report is text for an editor; other commands return none.
        executeCommand: async (command, args, next) => {
          const result: unknown = await next(command, args);
          if (command === showReport && typeof result === "string")
            await openText(result);
          return result;
        },
      },
    },
  );
  made.onNotification("catt/gpu", (gpu: Gpu) => {
    status.text = `$(chip) ${gpu.name}`;
    status.tooltip =
      `catt optimizes for ${gpu.name} (${gpu.architecture}), ` +
      `from ${gpu.origin}`;
    status.show();
  });
  made.onDidChangeState((change) => {
    if (change.newState === State.Stopped) status.hide();
  });
  return made;
}

async function start(status: vscode.StatusBarItem): Promise<void> {
  client = makeClient(status);
  try {
    await client.start();
  } catch (error) {
    const path = vscode.workspace.getConfiguration("catt").get("serverPath");
    void vscode.window.showErrorMessage(
      `catt: '${path}' cannot be started (${error}); set catt.serverPath`,
    );
  }
}

export async function activate(
  context: vscode.ExtensionContext,
): Promise<void> {
  const status = vscode.window.createStatusBarItem(
    "catt.gpu",
    vscode.StatusBarAlignment.Right,
  );
  status.name = "catt: GPU";
  status.command = "catt.report";
  context.subscriptions.push(
    status,
    vscode.commands.registerCommand("catt.restart", async () => {
      await client?.dispose();
      await start(status);
    }),
    vscode.commands.registerCommand("catt.report", async () => {
      const document = vscode.window.activeTextEditor?.document;
      if (document && languages.includes(document.languageId))
        await vscode.commands.executeCommand(
          showReport,
          document.uri.toString(),
        );
    }),
  );
  await start(status);
}

export async function deactivate(): Promise<void> {
  await client?.dispose();
}
