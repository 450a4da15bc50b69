from django.urls import path

from judging.views import collections, deletion, near_duplicates, qrels, runs, systems, uploads

urlpatterns = [
    path("collections/", collections.collections, name="collections"),
    path("collections/new/", collections.collection_new, name="collection_new"),
    path("collections/<id:pk>/", collections.collection, name="collection"),
    path("collections/<id:pk>/edit/", collections.collection_edit, name="collection_edit"),
    path("collections/<id:pk>/delete/", collections.collection_delete, name="collection_delete"),
    path("collections/<id:pk>/pages/<id:site_pk>/stop/", collections.collection_unpublish, name="collection_unpublish"),
    path("collections/<id:pk>/systems/", systems.collection_systems, name="collection_systems"),
    path("collections/<id:pk>/topics/", collections.topics, name="topics"),
    path("collections/<id:pk>/documents/", collections.documents, name="documents"),
    path("collections/<id:pk>/near-duplicates/", near_duplicates.near_duplicates, name="near_duplicates"),
    path("collections/topics/<id:pk>/", collections.topic, name="topic"),
    path("collections/topics/<id:pk>/tags/", collections.topic_tags, name="topic_tags"),
    path("collections/documents/<id:pk>/", collections.document, name="document"),
    path("collections/runs/<id:pk>/", runs.run, name="run"),
    path("collections/runs/<id:pk>/ranking/", runs.ranking, name="ranking"),
    path("collections/runs/<id:pk>/delete/", deletion.run_delete, name="run_delete"),
    path("collections/qrels/<id:pk>/", qrels.qrels, name="qrels"),
    path("collections/qrels/<id:pk>/delete/", deletion.qrels_delete, name="qrels_delete"),
    path("collections/qrels/<id:pk>/grades.<str:form>", qrels.qrels_download, name="qrels_download"),
    path("collections/<id:pk>/add/", uploads.upload_new, name="upload_new"),
    path("collections/<id:pk>/uploads/", uploads.upload_begin, name="upload_begin"),
    path("collections/uploads/<uuid:pk>/", uploads.upload, name="upload"),
    path("collections/uploads/<uuid:pk>/state/", uploads.upload_state, name="upload_state"),
    path("collections/uploads/<uuid:pk>/chunk/", uploads.upload_chunk, name="upload_chunk"),
    path("collections/uploads/<uuid:pk>/finish/", uploads.upload_finish, name="upload_finish"),
    path("collections/uploads/<uuid:pk>/cancel/", uploads.upload_cancel, name="upload_cancel"),
]
