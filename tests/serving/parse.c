/* Loads an exported parser as a server does that is not written in Python, and parses one request.
 *
 *   parse EXPORT WORLD_INPUT UTTERANCES_INPUT OUTPUT INDEX WORLD UTTERANCE...
 *
 * The inputs and the output are names of operations, as the signature has them; INDEX says which of
 * the output's tensors to print, one text a line.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tensorflow/c/c_api.h"
#include "tensorflow/c/tf_tstring.h"

static void check(TF_Status *status) {
  if (TF_GetCode(status) != TF_OK) {
    fprintf(stderr, "%s\n", TF_Message(status));
    exit(1);
  }
}

static TF_Tensor *texts(char **values, const int64_t *dims, int num_dims, int count) {
  TF_Tensor *tensor = TF_AllocateTensor(TF_STRING, dims, num_dims, count * sizeof(TF_TString));
  TF_TString *data = (TF_TString *)TF_TensorData(tensor);
  for (int i = 0; i < count; ++i) {
    TF_StringInit(&data[i]);
    TF_StringCopy(&data[i], values[i], strlen(values[i]));
  }
  return tensor;
}

static TF_Output named(TF_Graph *graph, const char *name, int index) {
  TF_Output output = {TF_GraphOperationByName(graph, name), index};
  if (output.oper == NULL) {
    fprintf(stderr, "no operation %s\n", name);
    exit(1);
  }
  return output;
}

int main(int argc, char **argv) {
  if (argc < 8) {
    fprintf(stderr, "too few arguments\n");
    return 2;
  }
  TF_Status *status = TF_NewStatus();
  TF_Graph *graph = TF_NewGraph();
  TF_SessionOptions *options = TF_NewSessionOptions();
  const char *tags[] = {"serve"};
  TF_Session *session =
      TF_LoadSessionFromSavedModel(options, NULL, argv[1], tags, 1, graph, NULL, status);
  check(status);

  int num_utterances = argc - 7;
  int64_t world_dims[] = {1};
  int64_t utterance_dims[] = {1, num_utterances};
  TF_Output inputs[] = {named(graph, argv[2], 0), named(graph, argv[3], 0)};
  TF_Tensor *values[] = {texts(&argv[6], world_dims, 1, 1),
                         texts(&argv[7], utterance_dims, 2, num_utterances)};
  TF_Output outputs[] = {named(graph, argv[4], atoi(argv[5]))};
  TF_Tensor *found[] = {NULL};
  TF_SessionRun(session, NULL, inputs, values, 2, outputs, found, 1, NULL, 0, NULL, status);
  check(status);

  const TF_TString *data = (const TF_TString *)TF_TensorData(found[0]);
  for (int64_t i = 0; i < TF_TensorElementCount(found[0]); ++i) {
    printf("%.*s\n", (int)TF_StringGetSize(&data[i]), TF_StringGetDataPointer(&data[i]));
  }

  TF_DeleteTensor(found[0]);
  TF_DeleteTensor(values[0]);
  TF_DeleteTensor(values[1]);
  TF_CloseSession(session, status);
  check(status);
  TF_DeleteSession(session, status);
  check(status);
  TF_DeleteSessionOptions(options);
  TF_DeleteGraph(graph);
  TF_DeleteStatus(status);
  return 0;
}
